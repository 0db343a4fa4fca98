import ArgumentParser
import DiskCaching
import ImageFeeds
import TextEncodings

struct StatsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stats",
    abstract: "Prints the size of the cache and its hits and misses.",
    discussion: """
      imgcache stats
      imgcache stats --json
      """)

  @OptionGroup(title: "Cache", visibility: .fullHelp) var size: SizeOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  mutating func run() async throws {
    let cache = try common.openCache { size.apply(to: &$0) }
    let statistics = await cache.statistics()
    let refreshes = await DayRecords(in: cache).refreshTimes
    if common.report.json {
      common.report.object(
        .stats,
        [
          "entries": statistics.entryCount, "bytes": statistics.byteCount,
          "counted_bytes": statistics.countedByteCount, "index_bytes": statistics.indexByteCount,
          "limit": statistics.maximumByteCount, "documents": statistics.documentCount,
          "document_bytes": statistics.documentByteCount, "negative": statistics.negativeCount,
          "kept": statistics.retainedCount, "kept_bytes": statistics.retainedByteCount,
          "pinned": statistics.pinnedCount, "total": Self.json(statistics.total),
          "last_run": Self.json(statistics.lastRun),
          "refreshed": refreshes.sorted { $0.key < $1.key }.map { name, time in
            // The name of Zhihu Daily at its public bases ends with a blank.
            ["feed": name.hasSuffix(" ") ? String(name.dropLast()) : name, "at": time] as JSONLine
          },
        ])
    } else {
      let text = StatisticsText(
        statistics, refreshes,
        showsBars: Stream.isTerminal(1) && TerminalDevice.columns(of: 1) >= 80)
      for line in text.lines { common.report.line(line) }
    }
  }

  private static func json(_ counters: [CacheCounter: Int]) -> JSONLine {
    JSONLine(members: CacheCounter.allCases.map { ($0.rawValue, counters[$0] ?? 0) })
  }
}
