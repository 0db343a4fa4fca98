#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The system's figures for memory: its use, its limit, and how often tasks waited for it.
///
/// Source: the kernel's documentation of control groups, version 2 (`memory.current`,
/// `memory.high`, `memory.max`, `memory.stat`), and of pressure stall information (PSI).
struct MemoryReading: Sendable, Hashable {
  /// Bytes in use that dropping cached files would not free; `nil` when unknown.
  var usedByteCount: Int?
  /// The limit in bytes; `nil` when there is none, or it is unknown.
  var limitByteCount: Int?
  /// The part of the last ten seconds in which some task waited for memory; `nil` when unknown.
  var stalledShare: Double?

  /// The bytes that caches take by default: a quarter of the limit, at most 512 MiB.
  var budget: Int { min((limitByteCount ?? .max) / 4, 512 << 20) }

  /// The part of its budget that a governor still splits: half where tasks waited for 1 % of the
  /// time, or 85 % of the limit is in use; an eighth where it is 10 % of the time, or 95 %.
  var budgetShare: Double {
    var used = 0.0
    if let usedByteCount, let limitByteCount, limitByteCount > 0 {
      used = Double(usedByteCount) / Double(limitByteCount)
    }
    let stalled = stalledShare ?? 0
    if used >= 0.95 || stalled >= 0.1 { return 0.125 }
    return used >= 0.85 || stalled >= 0.01 ? 0.5 : 1
  }
}

extension MemoryReading {
  /// Parses the files of a control group; each may be missing. The lower one of `memory.max` and
  /// `memory.high` counts; the `inactive_file` of `memory.stat` can be reclaimed at once.
  init(current: String?, limits: [String?], statistics: String?, pressure: String?) {
    let reclaimable = statistics.flatMap { Self.field("inactive_file", in: $0) } ?? 0
    usedByteCount = current.flatMap(Self.number).map { max(0, $0 - reclaimable) }
    limitByteCount = limits.compactMap { $0.flatMap(Self.number) }.min()
    stalledShare = pressure.flatMap(Self.averageOfTenSeconds)
  }

  /// The present figures of the process's control group, if any, else the machine's.
  static func current() -> MemoryReading {
    func text(_ name: String) -> String? {
      folders.lazy.compactMap { file($0 + "/" + name) }.first
    }
    var reading = MemoryReading(
      current: text("memory.current"), limits: [text("memory.max"), text("memory.high")],
      statistics: text("memory.stat"),
      pressure: text("memory.pressure") ?? file("/proc/pressure/memory"))
    if reading.limitByteCount == nil, let machine = file("/proc/meminfo"),
      let all = field("MemTotal:", in: machine), let free = field("MemAvailable:", in: machine)
    {
      reading.usedByteCount = (all - free) << 10
      reading.limitByteCount = all << 10
    }
    return reading
  }

  /// The folders of the process's control group; a container sees its own at the top.
  private static let folders: [String] = {
    let top = "/sys/fs/cgroup"
    let line = file("/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
    return line.map { [top + $0.dropFirst("0::".count), top] } ?? [top]
  }()

  private static func file(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }

  private static func number(_ text: String) -> Int? { Int(text.filter { !$0.isWhitespace }) }

  private static func field(_ name: String, in text: String) -> Int? {
    let line = text.split(separator: "\n").map { $0.split(separator: " ") }
      .first { $0.count >= 2 && $0[0] == name }
    return line.flatMap { Int($0[1]) }
  }

  /// `some avg10=1.25 avg60=…`: percent of the time.
  private static func averageOfTenSeconds(_ text: String) -> Double? {
    let some = text.split(separator: "\n").first { $0.hasPrefix("some ") }
    let average = some?.split(separator: " ").first { $0.hasPrefix("avg10=") }
    return average.flatMap { Double($0.dropFirst("avg10=".count)) }.map { min(max($0 / 100, 0), 1) }
  }
}
