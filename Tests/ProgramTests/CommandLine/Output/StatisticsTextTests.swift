import Testing

@testable import DiskCaching
@testable import imgcache

@Suite struct `Stats as text` {
  private var statistics: CacheStatistics {
    var statistics = CacheStatistics()
    (statistics.entryCount, statistics.pinnedCount, statistics.byteCount) = (1_200, 3, 5_000_000)
    (statistics.retainedCount, statistics.retainedByteCount) = (40, 2 << 20)
    (statistics.countedByteCount, statistics.maximumByteCount) = (6 << 20, 60 << 20)
    statistics.total = [.diskHits: 299, .diskMisses: 1, .evictions: 7]
    return statistics
  }

  @Test func `values are below each other, with units and shares in percent`() {
    let text = StatisticsText(statistics, [:], showsBars: false).lines

    #expect(text.contains("  entries       1200 (3 pinned)"))
    #expect(text.contains("  kept          40 (2 MiB, beside the limit)"))
    #expect(text.contains("  image files   4.8 MiB"))
    #expect(text.contains("  of the limit  6 MiB of 60 MiB, 10 %"))
    #expect(text.contains("  disk hits     299 of 300 lookups, 99 %"))
    #expect(text.contains("  evicted       7"))
    #expect(text.contains("Last run") && !text.contains("Refreshed"))
  }

  @Test func `no requests have no percentage, and a cache beyond its limit a full bar`() {
    var statistics = statistics
    statistics.countedByteCount = 70 << 20
    let text = StatisticsText(statistics, [:], showsBars: true).lines

    #expect(text.contains("  memory hits   0 of 0 lookups"))
    #expect(
      text.contains(
        "  of the limit  70 MiB of 60 MiB, 100 %  [" + String(repeating: "#", count: 20) + "]"))
  }

  @Test func `the name of a feed cannot control the terminal`() {
    let text = StatisticsText(statistics, ["a\u{1B}[2J": "2026-01-01"], showsBars: true).lines

    #expect(text.last == "  2026-01-01  a\\u{1b}[2J")
  }
}
