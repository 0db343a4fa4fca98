import DiskCaching

struct StatisticsText {
  private static let labelWidth = 14
  private static let barWidth = 20

  private(set) var lines: [String] = []
  private let showsBars: Bool

  init(_ statistics: CacheStatistics, _ refreshes: [String: String], showsBars: Bool) {
    self.showsBars = showsBars
    lines.append("Cache")
    add("entries", "\(statistics.entryCount) (\(statistics.pinnedCount) pinned)")
    add(
      "kept",
      "\(statistics.retainedCount) (\(ByteQuantity(statistics.retainedByteCount)), beside the limit)"
    )
    add("negative", "\(statistics.negativeCount)")
    add(
      "documents",
      "\(statistics.documentCount) (\(ByteQuantity(statistics.documentByteCount)))")
    add("image files", "\(ByteQuantity(statistics.byteCount))")
    add("index", "\(ByteQuantity(statistics.indexByteCount))")
    let (counted, limit) = (statistics.countedByteCount, statistics.maximumByteCount)
    add(
      "of the limit",
      "\(ByteQuantity(counted)) of \(ByteQuantity(limit))" + share(of: counted, in: limit))
    add(statistics.total, "All runs")
    add(statistics.lastRun, "Last run")
    if !refreshes.isEmpty { lines += ["", "Refreshed"] }
    for (name, time) in refreshes.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(time)  \(name.escapingControls())")
    }
  }

  private mutating func add(_ counters: [CacheCounter: Int], _ title: String) {
    lines += ["", title]
    for (label, hits, misses) in [
      ("memory hits", CacheCounter.memoryHits, CacheCounter.memoryMisses),
      ("disk hits", .diskHits, .diskMisses),
    ] {
      let count = counters[hits] ?? 0
      let total = count + (counters[misses] ?? 0)
      add(label, "\(count) of \(total.counted("lookup"))" + share(of: count, in: total))
    }
    for (label, counter) in [
      ("evicted", CacheCounter.evictions), ("damaged", .damaged),
      ("failed stores", .storeFailures), ("refused", .refusals),
    ] {
      add(label, "\(counters[counter] ?? 0)")
    }
  }

  private mutating func add(_ label: String, _ value: String) {
    let gap = String(repeating: " ", count: Self.labelWidth - label.count)
    lines.append("  \(label)\(gap)\(value)")
  }

  private func share(of part: Int, in whole: Int) -> String {
    guard whole > 0 else { return "" }
    let share = min(1, max(0, Double(part) / Double(whole)))
    let percent = ", \(Int((share * 100).rounded(.down))) %"
    guard showsBars else { return percent }
    let filled = Int((share * Double(Self.barWidth)).rounded(.down))
    return percent + "  [" + String(repeating: "#", count: filled)
      + String(repeating: "-", count: Self.barWidth - filled) + "]"
  }
}
