import ImageFeeds
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The URLs that days and the pages of their stories name: an index kept with the cache, so that
/// nothing has to be read again to answer whether a URL may be fetched.
///
/// A row a day, `names-of:20200616`, of SHA-256 digests cut to 16 bytes: short, and no URL can be
/// made up that has the digest of another. A row `names-version` changes with every change of them.
enum NamedURLs {
  /// The first half of a URL's SHA-256.
  struct Digest: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(of url: String) {
      var url = url
      let hash = url.withUTF8 { SHA256.hash(of: UnsafeRawBufferPointer($0)) }
      self.init(hash.bytes[...])
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>) {
      func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
      high = word(bytes.prefix(8))
      low = word(bytes.dropFirst(8).prefix(8))
    }

    fileprivate var bytes: [UInt8] {
      [high, low].flatMap { word in
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
      }
    }
  }

  private static let prefix = "names-of:"
  private static let versionName = "names-version"

  /// Adds URLs to those of days. Writes nothing where all are known.
  static func add(_ urls: [DayKey: Set<String>], in cache: DiskCache) throws(ImageError) {
    // One query for many days.
    let rows = urls.count > 16 ? Self.rows(in: cache) : nil
    var news: [String: Set<Digest>] = [:]
    for (day, urls) in urls {
      let name = prefix + day.description
      let digests = Set(urls.map(Digest.init))
      if row(rows.map { $0[day] } ?? cache.state(name), adding: digests) != nil {
        news[name] = digests
      }
    }
    guard !news.isEmpty else { return }
    let added = news
    // The rows as they are now: another process may have added to them meanwhile.
    try cache.updateStates(Array(added.keys)) { rows in
      var values: [String: String?] = [versionName: newVersion()]
      for (name, digests) in added {
        if let row = row(rows[name], adding: digests) { values[name] = row }
      }
      return values
    }
  }

  /// A row with more digests; `nil` where it has them all.
  private static func row(_ known: String?, adding digests: Set<Digest>) -> String? {
    let old = known.map(Self.digests) ?? []
    let new = old.union(digests)
    guard known == nil || new.count > old.count else { return nil }
    let bytes = new.sorted { ($0.high, $0.low) < ($1.high, $1.low) }.flatMap(\.bytes)
    return Data(bytes).base64EncodedString()
  }

  /// Forgets the URLs of days; `nil` for all days.
  static func forget(_ days: [DayKey]?, in cache: DiskCache) throws(ImageError) {
    let rows = cache.states(withPrefix: prefix).keys
    let named = days.map { Set($0.map { prefix + $0.description }) } ?? Set(rows)
    let doomed = named.intersection(rows)
    guard !doomed.isEmpty else { return }
    var values: [String: String?] = [versionName: newVersion()]
    for name in doomed { values.updateValue(nil, forKey: name) }
    try cache.setStates(values)
  }

  /// What changes with every change; `nil` where nothing was ever kept.
  static func version(in cache: DiskCache) -> String? { cache.state(versionName) }

  /// The rows of all days, by day.
  static func rows(in cache: DiskCache) -> [DayKey: String] {
    var rows: [DayKey: String] = [:]
    for (name, text) in cache.states(withPrefix: prefix) {
      if let day = DayKey(String(name.dropFirst(prefix.count))) { rows[day] = text }
    }
    return rows
  }

  /// The digests of a row.
  static func digests(_ row: String) -> Set<Digest> {
    let bytes = Data(base64Encoded: row).map { [UInt8]($0) } ?? []
    var digests: Set<Digest> = []
    digests.reserveCapacity(bytes.count / 16)
    for start in stride(from: 0, to: bytes.count - 15, by: 16) {
      digests.insert(Digest(bytes[start..<start + 16]))
    }
    return digests
  }

  private static func newVersion() -> String { "\(UInt64.random(in: 0 ... .max))" }
}
