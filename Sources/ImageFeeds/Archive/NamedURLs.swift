import DiskCaching
import ImageModel
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The URLs that days and the pages of their stories name: an index kept with the cache, which
/// answers whether a URL may be fetched without reading any document.
///
/// It has a row for each day, `names-of:20200616`, of SHA-256 digests cut to 16 bytes: short, and
/// nothing can construct a URL with the digest of another. The row `names-version` changes with
/// each of them.
enum NamedURLs {
  typealias Digest = UInt128

  static func digest(of url: String) -> Digest {
    var url = WebURL.withoutFragment(url)
    let hash = url.withUTF8 { SHA256.hash(of: UnsafeRawBufferPointer($0)) }
    return number(hash.bytes.prefix(16))
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Digest {
    bytes.reduce(0) { $0 << 8 | Digest($1) }
  }

  private static let prefix = "names-of:"
  private static let versionName = "names-version"

  /// Adds URLs to those of days; writes nothing if all are known.
  static func add(_ urls: [DayKey: Set<ExactString>], in cache: DiskCache) async throws(ImageError)
  {
    // One query for many days.
    let rows = urls.count > 16 ? await Self.rows(in: cache) : nil
    var news: [String: Set<Digest>] = [:]
    for (day, urls) in urls {
      let name = prefix + day.description
      let digests = Set(urls.map { digest(of: $0.text) })
      let known = if let rows { rows[day] } else { await cache.state(name) }
      if row(known, adding: digests) != nil { news[name] = digests }
    }
    guard !news.isEmpty else { return }
    // The rows as they are now: another process may have added to them.
    try await cache.updateStates(Array(news.keys)) { [news] rows in
      var values: [String: String?] = [versionName: newVersion()]
      for (name, digests) in news {
        if let row = row(rows[name], adding: digests) { values[name] = row }
      }
      return values
    }
  }

  private static func row(_ known: String?, adding digests: Set<Digest>) -> String? {
    let old = known.map(Self.digests) ?? []
    let new = old.union(digests)
    guard known == nil || new.count > old.count else { return nil }
    return Base64.encoded(
      new.sorted().flatMap { digest in
        (0..<16).map { UInt8(truncatingIfNeeded: digest >> (120 - 8 * $0)) }
      })
  }

  static func forget(_ days: [DayKey]?, in cache: DiskCache) async throws(ImageError) {
    let rows = await cache.states(withPrefix: prefix)
    let named = days.map { Set($0.map { prefix + $0.description }) }
    var values = rows.filter { named?.contains($0.key) ?? true }.mapValues { _ in String?.none }
    guard !values.isEmpty else { return }
    values[versionName] = newVersion()
    try await cache.setStates(values)
  }

  /// `nil` if nothing was ever kept.
  static func version(in cache: DiskCache) async -> String? { await cache.state(versionName) }

  static func rows(in cache: DiskCache) async -> [DayKey: String] {
    var rows: [DayKey: String] = [:]
    for (name, text) in await cache.states(withPrefix: prefix) {
      if let day = DayKey(String(name.dropFirst(prefix.count))) { rows[day] = text }
    }
    return rows
  }

  static func digests(_ row: String) -> Set<Digest> {
    let bytes = Base64.decoded(row) ?? []
    var digests: Set<Digest> = []
    digests.reserveCapacity(bytes.count / 16)
    for start in stride(from: 0, to: bytes.count - 15, by: 16) {
      digests.insert(number(bytes[start..<start + 16]))
    }
    return digests
  }

  private static func newVersion() -> String { "\(UInt64.random(in: 0 ... .max))" }
}
