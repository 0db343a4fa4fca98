#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the system's figures for memory: those of the process's control group, if any.
enum MemoryProbe {
  /// Returns the current figures; takes a fraction of a millisecond.
  static func read() -> MemoryReading {
    var reading = MemoryReading(
      current: text("memory.current"), limits: [text("memory.max"), text("memory.high")],
      statistics: text("memory.stat"),
      pressure: text("memory.pressure") ?? file("/proc/pressure/memory"))
    if reading.limitByteCount == nil, let (used, all) = machine() {
      reading.usedByteCount = used
      reading.limitByteCount = all
    }
    return reading
  }

  /// The folders of the process's control group; a container sees its own at the top.
  private static let folders: [String] = {
    let top = "/sys/fs/cgroup"
    let line = file("/proc/self/cgroup")?.split(separator: "\n").first { $0.hasPrefix("0::") }
    return line.map { [top + $0.dropFirst("0::".count), top] } ?? [top]
  }()

  private static func text(_ name: String) -> String? {
    for folder in folders {
      if let text = file(folder + "/" + name) { return text }
    }
    return nil
  }

  /// The memory of the machine: in use, and the total.
  private static func machine() -> (used: Int, all: Int)? {
    guard let text = file("/proc/meminfo") else { return nil }
    var kibibytes: [Substring: Int] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count >= 2 { kibibytes[words[0]] = Int(words[1]) }
    }
    guard let all = kibibytes["MemTotal:"], let free = kibibytes["MemAvailable:"] else {
      return nil
    }
    return ((all - free) << 10, all << 10)
  }

  private static func file(_ path: String) -> String? {
    try? String(contentsOfFile: path, encoding: .utf8)
  }
}
