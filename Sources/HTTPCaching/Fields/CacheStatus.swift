public import HTTPTypes

/// How a cache came by an answer, for `Cache-Status` (RFC 9211).
public struct CacheStatus: Sendable, Hashable, CustomStringConvertible {
  /// Where it came from.
  public enum Origin: Sendable, Hashable {
    /// A cache hit; no request was sent to the origin.
    case hit
    /// A request was sent to the origin; the status is the origin's.
    case forwarded(Reason, status: Int?)
  }

  /// The reason why what is stored was not sufficient, in the words of RFC 9211 §2.2.
  public enum Reason: String, Sendable, Hashable {
    case bypass, method, miss, request, stale, partial
    case noAnswer = "uri-miss"
    case noVariant = "vary-miss"
  }

  /// How the origin answered.
  public var origin: Origin
  /// Seconds until it is stale; negative afterwards.
  public var lifetime: Int?
  /// Whether it is kept.
  public var isStored = false
  /// Whether it came by a request that another client began.
  public var isCollapsed = false
  /// A token for people.
  public var detail: String?

  /// Creates a value.
  public init(_ origin: Origin) { self.origin = origin }

  /// The member that this cache adds to the list.
  public var description: String {
    var text = "imgcache"
    switch origin {
    case .hit: text += "; hit"
    case .forwarded(let reason, let status):
      text += "; fwd=\(reason.rawValue)"
      if let status { text += "; fwd-status=\(status)" }
    }
    if let lifetime { text += "; ttl=\(lifetime)" }
    if isStored { text += "; stored" }
    if isCollapsed { text += "; collapsed" }
    if let detail { text += "; detail=\(detail)" }
    return text
  }

  /// Appends it to the members that caches nearer to the origin have added.
  public func add(to fields: inout HTTPFields) {
    guard let name = Self.name else { return }
    let before = fields[values: name].filter { !$0.isEmpty }
    fields[values: name] = [(before + [description]).joined(separator: ", ")]
  }

  private static let name = HTTPField.Name("Cache-Status")
}
