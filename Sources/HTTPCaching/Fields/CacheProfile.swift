public import HTTPTypes
public import ImageModel

/// The kind of an HTTP cache: the choices that RFC 9111 and RFC 5861 leave to a cache.
public struct CacheProfile: Sendable, Hashable {
  /// Whether the cache serves many users ("shared cache", RFC 9111 §1). Default: false.
  public var isShared = false
  /// The fields that take the place of `Cache-Control` and `Expires` in a shared cache, the first
  /// that a response has and that is well-formed (RFC 9213 §2.2, "target list"). Default:
  /// `CDN-Cache-Control`.
  public var targetedFields = cdnFields
  /// Whether a shared cache stores `Set-Cookie` as any other field, as RFC 9111 §7.3 allows.
  /// Otherwise it stores such a response only if that is `public`, and without the field. Default:
  /// false.
  public var storesSetCookie = false
  /// Whether a shared cache answers with what a private cache on the same directory has stored for
  /// its one user. Default: false.
  public var usesPrivateEntries = false
  /// Whether responses are archived: also those that no request may use without a request to the
  /// origin, those that a caller names although the origin forbids storing, and stale ones whose
  /// successor may not be stored. Default: false.
  public var isArchive = false
  /// The time after its expiry during which a response may be used in place of an origin that
  /// cannot be reached (RFC 9111 §4.2.4), in seconds. Default: a week.
  public var maximumDisconnectedStaleness: TimeInterval = 7 * 86400
  /// The statuses that `stale-if-error` covers. Default: those of RFC 5861 §4.
  public var staleIfErrorStatuses: Set<Int> = [500, 502, 503, 504]

  static let cdnFields = [HTTPField.Name("CDN-Cache-Control")].compactMap(\.self)

  /// Creates the profile of a private cache, or of a shared one.
  public init(isShared: Bool = false) { self.isShared = isShared }

  /// The profile of a caching proxy.
  public static func proxy(storesSetCookie: Bool = false) -> CacheProfile {
    var profile = CacheProfile(isShared: true)
    profile.storesSetCookie = storesSetCookie
    return profile
  }

  /// The profile of an image cache, which has no user's cookies and may be read without a network.
  ///
  /// - Parameter isShared: Whether the images are for many users.
  public static func images(isShared: Bool) -> CacheProfile {
    var profile = CacheProfile(isShared: isShared)
    // The pipeline sends no client's cookies and hands none out: an image that came with one is
    // for everyone.
    profile.storesSetCookie = true
    profile.isArchive = true
    profile.maximumDisconnectedStaleness = .infinity
    profile.staleIfErrorStatuses.insert(429)
    return profile
  }

  /// The fields that are stored: a shared cache leaves `Set-Cookie` to the client that caused it.
  func stored(_ fields: HTTPFields) -> HTTPFields {
    isShared && !storesSetCookie ? fields.filter { $0.name != .setCookie } : fields
  }
}
