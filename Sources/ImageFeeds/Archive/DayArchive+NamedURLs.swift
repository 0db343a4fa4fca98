import DiskCaching
import ImageModel
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

extension DayArchive {
  /// The maximum number of days of versions without an index that are read for it at once, the
  /// newest first; each takes 20 ms.
  private static let maximumIndexedDays = 31

  /// Whether a day of the cache, or the kept page of one of its stories, names a URL.
  public func names(_ url: String) async -> Bool {
    guard let cache = pipeline.configuration.diskCache else { return false }
    let groups = await cache.groups(of: .image(at: url))
    if groups.contains(where: { DayKey(group: $0) != nil }) { return true }
    let digest = NamedURLs.digest(of: url)
    let now = clock()
    let reading = urls.withLock { urls in
      urls.reading(for: digest, at: now) { [self] in Task { await readURLs(at: now) } }
    }
    await reading?.value
    return urls.withLock { $0.contains(digest) }
  }

  private func readURLs(at now: Date) async {
    await readRows()
    let days = (try? await keptDays()) ?? []
    let missing = urls.withLock { $0.missing(of: days, maximum: Self.maximumIndexedDays) }
    for day in missing { await index(day) }
    if !missing.isEmpty { await readRows() }
    urls.withLock {
      $0.readAt = now
      $0.reading = nil
    }
  }

  private func readRows() async {
    try? await withRecords { [urls] records in
      let version = await NamedURLs.version(in: records.cache)
      guard version != urls.withLock({ $0.version }) else { return }
      let rows = await NamedURLs.rows(in: records.cache)
      urls.withLock { $0.replace(rows: rows, version: version) }
    }
  }

  /// Adds a day to the index; only in memory if the cache cannot be written.
  private func index(_ day: DayKey) async {
    guard let kept = try? await kept(day) else { return }
    let named = await namedURLs(of: kept)
    do {
      try await withRecords { try await NamedURLs.add([day: named], in: $0.cache) }
    } catch {
      let digests = named.map { NamedURLs.digest(of: $0.text) }
      urls.withLock { $0.unkept.formUnion(digests) }
    }
  }
}

/// The index of named URLs in memory, as of one of its versions.
struct NamedURLCatalogue {
  /// Other processes may have added days since.
  private static let lifetime = 10.0

  private var digests: Set<NamedURLs.Digest> = []
  private var rows: [DayKey: String] = [:]
  private(set) var version: String?
  var readAt = Date.distantPast
  private var indexed: Set<DayKey> = []
  /// Digests of those that could not be written.
  var unkept: Set<NamedURLs.Digest> = []
  var reading: Task<Void, Never>?

  func contains(_ digest: NamedURLs.Digest) -> Bool {
    digests.contains(digest) || unkept.contains(digest)
  }

  /// The reading after which it is known whether a URL is named, which concurrent questions share;
  /// `nil` if it is known.
  mutating func reading(
    for digest: NamedURLs.Digest, at now: Date, start: () -> Task<Void, Never>
  ) -> Task<Void, Never>? {
    guard !contains(digest), now.timeIntervalSince(readAt) > Self.lifetime else { return nil }
    reading = reading ?? start()
    return reading
  }

  /// The days without a row that are to be indexed now; they are not returned again.
  mutating func missing(of days: [DayKey], maximum: Int) -> [DayKey] {
    let missing = days.filter { rows[$0] == nil && !indexed.contains($0) }
      .prefix(max(0, maximum - indexed.count))
    indexed.formUnion(missing)
    return Array(missing)
  }

  mutating func replace(rows: [DayKey: String], version: String?) {
    if self.rows.allSatisfy({ rows[$0.key] == $0.value }) {
      for (day, row) in rows where self.rows[day] == nil {
        digests.formUnion(NamedURLs.digests(row))
      }
    } else {
      digests = rows.values.reduce(into: []) { $0.formUnion(NamedURLs.digests($1)) }
    }
    self.rows = rows
    self.version = version
  }
}
