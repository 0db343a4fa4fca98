import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which URLs the days of the cache name.
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
    switch urls.lookUp(digest, at: now, reading: { [self] in Task { await readURLs(at: now) } }) {
    case .known(let isNamed): return isNamed
    case .reading(let task):
      await task.value
      return urls.contains(digest)
    }
  }

  /// Reads what has changed in the index, and adds the rows that versions without an index did not
  /// write.
  private func readURLs(at now: Date) async {
    await readRows()
    let days = (try? await keptDays()) ?? []
    let missing = urls.missing(of: days, maximum: Self.maximumIndexedDays)
    for day in missing { await index(day) }
    if !missing.isEmpty { await readRows() }
    urls.finishReading(at: now)
  }

  private func readRows() async {
    try? await withRecords { [urls] records in
      let version = await NamedURLs.version(in: records.cache)
      guard version != urls.version else { return }
      urls.replace(rows: await NamedURLs.rows(in: records.cache), version: version)
    }
  }

  /// Adds a day to the index; only in memory if the cache cannot be written.
  private func index(_ day: DayKey) async {
    guard let kept = try? await kept(day) else { return }
    let named = await namedURLs(of: kept)
    do {
      try await withRecords { try await NamedURLs.add([day: named], in: $0.cache) }
    } catch {
      urls.addUnkept(named)
    }
  }
}

/// The index of named URLs in memory, as of one of its versions.
final class NamedURLCatalogue: Sendable {
  /// Other processes may have added days since.
  private static let lifetime = 10.0

  private struct State {
    var digests: Set<NamedURLs.Digest> = []
    var rows: [DayKey: String] = [:]
    var version: String?
    var readAt = Date.distantPast
    /// Days of older versions that were read for the index.
    var indexed: Set<DayKey> = []
    /// Digests of those that could not be written.
    var unkept: Set<NamedURLs.Digest> = []
    var reading: Task<Void, Never>?

    func contains(_ digest: NamedURLs.Digest) -> Bool {
      digests.contains(digest) || unkept.contains(digest)
    }
  }

  enum Answer {
    case known(Bool)
    /// Unknown until this has ended.
    case reading(Task<Void, Never>)
  }

  private let state = Locked(State())

  var version: String? { state.withLock { $0.version } }

  func contains(_ digest: NamedURLs.Digest) -> Bool { state.withLock { $0.contains(digest) } }

  /// Whether a URL is named; concurrent questions share one reading.
  func lookUp(
    _ digest: NamedURLs.Digest, at now: Date, reading start: () -> Task<Void, Never>
  ) -> Answer {
    state.withLock { state in
      if state.contains(digest) { return .known(true) }
      guard now.timeIntervalSince(state.readAt) > Self.lifetime else { return .known(false) }
      let reading = state.reading ?? start()
      state.reading = reading
      return .reading(reading)
    }
  }

  /// The days without a row that are to be indexed now; they are not returned again.
  func missing(of days: [DayKey], maximum: Int) -> [DayKey] {
    state.withLock { state in
      let missing = days.filter { state.rows[$0] == nil && !state.indexed.contains($0) }
        .prefix(max(0, maximum - state.indexed.count))
      state.indexed.formUnion(missing)
      return Array(missing)
    }
  }

  func replace(rows: [DayKey: String], version: String?) {
    state.withLock { state in
      if state.rows.allSatisfy({ rows[$0.key] == $0.value }) {
        for (day, row) in rows where state.rows[day] == nil {
          state.digests.formUnion(NamedURLs.digests(row))
        }
      } else {
        state.digests = rows.values.reduce(into: []) { $0.formUnion(NamedURLs.digests($1)) }
      }
      state.rows = rows
      state.version = version
    }
  }

  func addUnkept(_ urls: Set<ExactString>) {
    state.withLock { $0.unkept.formUnion(urls.map { NamedURLs.digest(of: $0.text) }) }
  }

  func finishReading(at now: Date) {
    state.withLock {
      $0.readAt = now
      $0.reading = nil
    }
  }

  /// Has the next question read the index again.
  func expire() { state.withLock { $0.readAt = .distantPast } }
}
