public import HTTPCaching
import ImageModel

/// The names by which entries are purged together.
///
/// An original has `src-` with a hash of its URL, `host-` with its host or its bucket, one for each of its groups
/// (`day-20200616` for `day:20200616`), and those that its origin named in `Cache-Tag` (Cloudflare,
/// Google Cloud CDN) or `Surrogate-Key` (Fastly). Variants follow their original.
public struct CacheTag: Sendable, Hashable, CustomStringConvertible {
  /// The longest name, in bytes.
  public static let maximumByteCount = 1024
  /// The most names of an origin that count, and their bytes: servers in front bound their heads.
  static let maximumOriginCount = 64
  static let maximumOriginByteCount = 4096

  /// The name: visible ASCII without a comma.
  public let name: String

  /// Reads a name; `nil` for one that no tag can have.
  public init?(_ name: some StringProtocol) {
    let isValid =
      (1...Self.maximumByteCount).contains(name.utf8.count)
      && name.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
    guard isValid else { return nil }
    self.name = String(name)
  }

  private init(valid name: String) { self.name = name }

  /// The name.
  public var description: String { name }

  /// The tag of a URL: the first 32 hexadecimal digits of its SHA-256.
  public static func source(_ url: String) -> CacheTag {
    var url = url
    let hash = url.withUTF8 { SHA256.hash(of: UnsafeRawBufferPointer($0)) }
    return CacheTag(valid: sourcePrefix + hash.hex.prefix(32))
  }

  /// The tag of a URL's host, without its port, or of its bucket or directory; `nil` for what is not a URL.
  public static func host(_ url: String) -> CacheTag? {
    (WebURL(url)?.host ?? S3Address(url)?.bucket ?? LocalAddress(url)?.root).flatMap {
      CacheTag(hostPrefix + $0)
    }
  }

  package static func group(_ name: String) -> CacheTag? {
    CacheTag(name.replacing(":", with: "-"))
  }

  /// The tags of an original, those of its origin last.
  public static func all(of record: CacheRecord) -> [CacheTag] {
    guard let url = record.key.url else { return [] }
    var tags = [source(url)]
    if let host = host(url) { tags.append(host) }
    tags += record.groups.sorted().compactMap(group)
    let known = Set(tags)
    tags += record.sharedTags.sorted().compactMap { CacheTag($0) }.filter { !known.contains($0) }
    return tags + ofOrigin(record.headers)
  }

  /// The tags of a response for a URL that is in no group, those of its origin last.
  public static func all(of response: StoredResponse, url: String) -> [CacheTag] {
    var record = CacheRecord(key: .original(url: url), at: response.responseTime)
    record.headers = HeaderText(response.fields)
    return all(of: record)
  }

  static func ofOrigin(_ headers: HeaderText) -> [CacheTag] {
    var byteCount = 0
    return fields.flatMap { headers.values($0) }
      .flatMap { $0.split { $0 == "," || $0 == " " || $0 == "\t" } }
      .prefix(maximumOriginCount)
      .prefix { name in
        byteCount += name.utf8.count + 1
        return byteCount <= maximumOriginByteCount
      }
      .compactMap { CacheTag($0) }
  }

  private static let fields = ["cache-tag", "surrogate-key"]
  fileprivate static let sourcePrefix = "src-"
  fileprivate static let hostPrefix = "host-"
}

/// Tags to find in many records: properties that no tag needs are not computed.
struct CacheTagMatcher: Sendable {
  private let tags: Set<CacheTag>
  private let hasSources: Bool
  private let hasHosts: Bool

  init(_ tags: some Sequence<CacheTag>) {
    self.tags = Set(tags)
    hasSources = self.tags.contains { $0.name.hasPrefix(CacheTag.sourcePrefix) }
    hasHosts = self.tags.contains { $0.name.hasPrefix(CacheTag.hostPrefix) }
  }

  private func has(_ tag: CacheTag?) -> Bool { tag.map { tags.contains($0) } ?? false }

  func matches(url: String) -> Bool {
    hasSources && has(.source(url)) || hasHosts && has(.host(url))
  }

  func matches(_ record: CacheRecord) -> Bool {
    guard let url = record.key.url else { return false }
    return matches(url: url) || record.groups.contains { has(.group($0)) }
      || record.sharedTags.contains { has(CacheTag($0)) }
      || CacheTag.ofOrigin(record.headers).contains { has($0) }
  }
}

extension CacheKey {
  /// The URL of the origin's response; `nil` where a variant names its source by a hash, and for
  /// documents, which are not purged.
  var url: String? {
    switch self {
    case .original(let url, _): url
    case .variant(let source, _): source.utf8.contains(UInt8(ascii: ":")) ? source : nil
    case .document: nil
    }
  }
}
