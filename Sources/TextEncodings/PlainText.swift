extension Duration {
  /// The duration in its two largest units, rounded down: `23 h 50 min`, `75 d`, `1 min 15 s`,
  /// `1.5 s`, `500 ms`.
  public var readable: String {
    if self < .zero { return "-" + (Duration.zero - self).readable }
    let (seconds, attoseconds) = min(self, .seconds(Int64.max)).components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    if seconds == 0 { return "\(milliseconds) ms" }
    if seconds < 60 {
      return milliseconds < 100 ? "\(seconds) s" : "\(seconds).\(milliseconds / 100) s"
    }
    let units: [(name: String, seconds: Int64)] = [("d", 86_400), ("h", 3_600), ("min", 60)]
    for (index, unit) in units.enumerated() where seconds >= unit.seconds {
      let smaller = index + 1 < units.count ? units[index + 1] : (name: "s", seconds: 1)
      let rest = seconds % unit.seconds / smaller.seconds
      let whole = "\(seconds / unit.seconds) \(unit.name)"
      return rest == 0 ? whole : whole + " \(rest) \(smaller.name)"
    }
    return "\(seconds) s"
  }
}

extension String {
  /// Returns the text without white space and line breaks at both ends.
  public func trimmingWhiteSpace() -> String {
    let visible = UInt8(ascii: "!")...UInt8(ascii: "~")
    if let first = utf8.first, let last = utf8.last, visible ~= first, visible ~= last {
      return self
    }
    let start = drop(while: \.isWhitespace)
    guard let end = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...end])
  }
}

extension Unicode.Scalar {
  /// Whether it can control a terminal, change the direction of text, or break a line: C0 and C1
  /// with DEL, the marks of direction, and Unicode's separators of lines.
  public var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F...0x9F, 0x61C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
