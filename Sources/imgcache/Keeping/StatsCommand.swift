import ArgumentParser
import DiskCaching
import ImageFeeds
import TextEncodings

/// `imgcache stats`: the content of the cache and its hits and misses.
struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Prints the size of the cache and its hits and misses.",
    discussion: """
      imgcache stats
      imgcache stats --json
      """)

  @OptionGroup var cached: CachedOptions

  mutating func run() async throws {
    let cache = try cached.openCache()
    let statistics = await cache.statistics()
    let refreshes = await DayRecords(in: cache).refreshTimes
    if cached.report.json {
      cached.report.object([
        "entries": statistics.entryCount, "bytes": statistics.byteCount,
        "counted_bytes": statistics.countedByteCount, "index_bytes": statistics.indexByteCount,
        "limit": statistics.maximumByteCount, "documents": statistics.documentCount,
        "document_bytes": statistics.documentByteCount, "negative": statistics.negativeCount,
        "pinned": statistics.pinnedCount, "total": Self.json(statistics.total),
        "last_run": Self.json(statistics.lastRun),
        "refreshed": refreshes.sorted { $0.key < $1.key }.map { name, time in
          ["feed": name, "at": time] as JSONLine
        },
      ])
    } else {
      for line in Self.text(statistics, refreshes) { cached.report.line(line) }
    }
  }

  private static func json(_ counters: [CacheCounter: Int]) -> JSONLine {
    JSONLine(
      members: CacheCounter.allCases.map { ($0.rawValue, counters[$0] ?? 0) })
  }

  private static func text(
    _ statistics: CacheStatistics, _ refreshes: [String: String]
  ) -> [String] {
    var lines = [
      "entries    \(statistics.entryCount) (\(statistics.pinnedCount) pinned), \(statistics.negativeCount) negative",
      "bytes      \(ByteQuantity(statistics.byteCount)), which count as "
        + "\(ByteQuantity(statistics.countedByteCount)) of \(ByteQuantity(statistics.maximumByteCount))",
      "index      \(ByteQuantity(statistics.indexByteCount))",
      "documents  \(statistics.documentCount) (\(ByteQuantity(statistics.documentByteCount)))",
    ]
    for (name, counters) in [("all runs", statistics.total), ("last run", statistics.lastRun)] {
      let hits = counters[.diskHits] ?? 0
      let misses = counters[.diskMisses] ?? 0
      let share = hits + misses == 0 ? "" : " (\(100 * hits / (hits + misses)) % hits)"
      lines.append(
        "\(name)   disk: \(hits.counted("hit")), \(misses.counted("miss", "misses"))\(share); \(counters[.evictions] ?? 0) evicted, "
          + "\(counters[.damaged] ?? 0) damaged, \((counters[.storeFailures] ?? 0).counted("failed store"))"
      )
    }
    for (name, time) in refreshes.sorted(by: { $0.key < $1.key }) {
      lines.append("refreshed  \(time)  \(name)")
    }
    return lines
  }
}
