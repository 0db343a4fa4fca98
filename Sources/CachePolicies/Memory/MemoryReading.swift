/// The system's figures for memory: its use, its limit, and how often tasks waited for it.
///
/// Source: the kernel's documentation of control groups, version 2 (`memory.current`,
/// `memory.high`, `memory.max`, `memory.stat`), and of pressure stall information (PSI).
public struct MemoryReading: Sendable, Hashable {
  /// Bytes in use that dropping cached files would not free; `nil` when unknown.
  public var usedByteCount: Int?
  /// The limit in bytes; `nil` when there is none, or it is unknown.
  public var limitByteCount: Int?
  /// The part of the last ten seconds in which some task waited for memory, 0 through 1; `nil` when
  /// unknown.
  public var stalledShare: Double?

  /// Creates a reading without figures.
  public init() {}

  /// The part of the limit that is in use; `nil` when either is unknown.
  public var usedShare: Double? {
    guard let usedByteCount, let limitByteCount, limitByteCount > 0 else { return nil }
    return Double(usedByteCount) / Double(limitByteCount)
  }

  /// Parses the files of a control group; each may be missing.
  ///
  /// - Parameters:
  ///   - current: `memory.current`, bytes.
  ///   - limits: `memory.max` and `memory.high`, bytes or `max`; the lower one counts.
  ///   - statistics: `memory.stat`; its `inactive_file` can be reclaimed at once and does not count
  ///     as used.
  ///   - pressure: `memory.pressure`, or `/proc/pressure/memory`.
  package init(current: String?, limits: [String?], statistics: String?, pressure: String?) {
    let reclaimable = statistics.flatMap { Self.field("inactive_file", in: $0) } ?? 0
    usedByteCount = current.flatMap(Self.number).map { max(0, $0 - reclaimable) }
    limitByteCount = limits.compactMap { $0.flatMap(Self.number) }.min()
    stalledShare = pressure.flatMap(Self.averageOfTenSeconds)
  }

  private static func number(_ text: String) -> Int? {
    Int(text.filter { !$0.isWhitespace })
  }

  private static func field(_ name: String, in text: String) -> Int? {
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, words[0] == name { return Int(words[1]) }
    }
    return nil
  }

  /// `some avg10=1.25 avg60=…`: percent of the time.
  private static func averageOfTenSeconds(_ text: String) -> Double? {
    for line in text.split(separator: "\n") where line.hasPrefix("some ") {
      for word in line.split(separator: " ") where word.hasPrefix("avg10=") {
        return Double(word.dropFirst("avg10=".count)).map { min(max($0 / 100, 0), 1) }
      }
    }
    return nil
  }
}
