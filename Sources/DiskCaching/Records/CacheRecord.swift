public import HTTPCaching
import HTTPTypes
public import ImageModel

/// The metadata of an entry.
///
/// A record without ``content`` is a negative entry: it stores that there is no content, and the
/// reason.
public struct CacheRecord: Sendable, Hashable {
  /// Which entry this is.
  public var key: CacheKey
  /// Which bytes; `nil` for a negative entry. Set by the cache when bytes are stored.
  public internal(set) var content: CacheContent?
  /// The status of the answer that brought the bytes. Default: 200.
  public var status = 200
  /// The format of the bytes, sniffed; `nil` if they are not an image.
  public var format: ImageFormat?
  /// The size of the image as displayed; `nil` when the bytes are not an image.
  public var size: PixelSize?
  /// The number of frames. Default: 1.
  public var frameCount = 1
  /// The answer's header fields, those that RFC 9111 §3.1 lets a cache keep.
  public var headers = HeaderText(text: "")
  /// When the request was sent that brought the answer or last confirmed it.
  public var requestTime: Date
  /// When that answer's head arrived.
  public var responseTime: Date
  /// When the bytes were fetched; a confirmation (304) leaves it alone.
  public var fetchedAt: Date
  /// Kept although the origin sent `no-store`, because it was requested by name: never fresh.
  public var isAlwaysStale = false
  /// Which credentials the entry was fetched with; empty for none. See ``OriginMarks``.
  package var originMark: [UInt8] = []
  /// See ``StoredResponse/generation``.
  package var generation: TierGeneration?
  /// Tags that it has in the shared tier, such as those of days that other servers keep it for.
  package var sharedTags: Set<String> = []
  /// See ``StoredResponse/sharedAt``.
  package var sharedAt: Date?
  /// See ``StoredResponse/effectiveURL``.
  package var effectiveURL: String?
  /// Of a negative entry: the code of the failure (`ImageError.Code`).
  public var failure: ImageError.Code?
  /// When a negative entry ends; `nil` for never.
  public var expires: Date?
  /// The groups the entry is in, such as `day:20200616`. ``DiskCache/read(_:protecting:)`` leaves
  /// it empty; ``DiskCache/entries(matching:)`` fills it; storing adds the entry to these.
  public var groups: Set<String> = []
  /// The image's main colour as 0xRRGGBB.
  public var dominantColor: UInt32?
  /// The image's ThumbHash; empty when there is none.
  public var thumbHash: [UInt8] = []
  /// The time of the last recorded access to the entry. Set by the cache.
  public internal(set) var lastAccess: Date
  /// The number of recorded accesses to the entry. Set by the cache.
  public internal(set) var accessCount = 0
  /// Whether a pinned group keeps the entry from eviction. Set by the cache.
  public internal(set) var isPinned = false
  /// Whether a group of an archive keeps it; see ``DiskCache/setKept(_:group:)``.
  public internal(set) var isKept = false

  /// A record of an answer that was requested, received and fetched at one moment; set what
  /// differs.
  public init(key: CacheKey, at date: Date) {
    self.key = key
    requestTime = date
    responseTime = date
    fetchedAt = date
    lastAccess = date
  }

  /// Bytes of the content; 0 for a negative entry.
  public var byteCount: Int { content?.byteCount ?? 0 }

  /// A negative entry: the origin has no content for this key.
  public var isNegative: Bool { content == nil }

  /// Whether it is a failure or whole content. A caching proxy on the same directory keeps parts,
  /// redirects and errors as well.
  package var isUsableByPipelines: Bool {
    isNegative || (200..<300).contains(status) && status != 206
  }

  /// The names by which the index finds it, besides its groups: those of its origin's groups (RFC
  /// 9875), and that of all with `No-Vary-Search`.
  var indexedNames: [String] {
    guard case .original(let url, _) = key else { return [] }
    var names: [String] = []
    if headers.first("cache-groups") != nil, let origin = WebURL(url)?.origin {
      names = headers.fields.cacheGroups.map { Self.name(ofCacheGroup: $0, of: origin) }
    }
    if headers.first(Self.noVarySearch) != nil { names.append(Self.noVarySearch) }
    return names
  }

  static let noVarySearch = "no-vary-search"

  static func name(ofCacheGroup group: String, of origin: String) -> String { "\(origin) \(group)" }

  /// The response's `Content-Type`, verbatim; `nil` when it has none.
  public var mediaType: String? { headers.first("content-type") }

  /// The response's `ETag`, verbatim.
  public var entityTag: String? { headers.first("etag") }

  /// The response's `Last-Modified`, verbatim.
  public var lastModified: String? { headers.first("last-modified") }
}

/// An entry as it was read: the record and the bytes.
public struct CachedEntry: Sendable {
  /// The metadata of the bytes.
  public let record: CacheRecord
  /// The bytes; empty for a negative entry.
  public let bytes: [UInt8]

  package init(record: CacheRecord, bytes: [UInt8]) {
    self.record = record
    self.bytes = bytes
  }
}

extension CachedEntry: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "name": record.key.name, "status": record.status, "format": record.format,
      "size": record.size, "bytes": bytes.summary,
    ]
  }
}

/// Which bytes an entry holds: their name, their count and a checksum that guards reads.
public struct CacheContent: Sendable, Hashable {
  /// SHA-256 of the bytes, the name of their file.
  public let hash: BlobHash
  /// How many there are.
  public let byteCount: Int
  /// CRC-32C of the bytes.
  public let checksum: UInt32
}

extension CacheContent {
  /// Names the bytes at hand.
  public init(of bytes: UnsafeRawBufferPointer) {
    self.init(
      hash: SHA256.hash(of: bytes), byteCount: bytes.count, checksum: CRC32C.checksum(of: bytes))
  }
}

/// A record as a response of the HTTP cache.
extension StoredResponse {
  package init(_ record: CacheRecord) {
    var fields = record.headers.fields
    if record.isNegative {
      // A negative entry is valid until the record expires, when a store drops it. It never
      // substitutes for another failure.
      fields = [.cacheControl: "max-age=2147483647, must-revalidate"]
    }
    self.init(
      status: record.status, fields: fields, requestTime: record.requestTime,
      responseTime: record.responseTime, selection: record.key.selection,
      byteCount: record.byteCount)
    isAlwaysStale = record.isAlwaysStale
    generation = record.generation
    sharedAt = record.sharedAt
    effectiveURL = record.effectiveURL
  }
}

extension CacheRecord {
  /// How long a private or a shared cache may use the entry.
  public func freshness(isShared: Bool = false) -> HTTPFreshness {
    HTTPFreshness(
      status: status, headers: headers.fields, requestTime: requestTime, responseTime: responseTime,
      profile: CacheProfile(isShared: isShared))
  }

  /// Takes over the status, fields and times of a response; key, content and image stay.
  package mutating func adopt(_ response: StoredResponse) {
    status = response.status
    headers = HeaderText(response.fields)
    requestTime = response.requestTime
    responseTime = response.responseTime
    isAlwaysStale = response.isAlwaysStale
    generation = response.generation
    sharedAt = response.sharedAt
    effectiveURL = response.effectiveURL
  }
}
