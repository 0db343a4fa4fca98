struct TraceFields {
  private let line: UnsafeRawBufferPointer
  private var bounds: (Range<Int>, Range<Int>, Range<Int>) = (0..<0, 0..<0, 0..<0)
  private(set) var count = 0
  /// Whether a quote is not closed, or closed before the end of its field.
  private(set) var isMisquoted = false

  /// - Parameter isSpaced: Whether any number of blanks separates the fields; otherwise a comma
  ///   does, and a field may be quoted (RFC 4180) and then have commas but no line breaks.
  init(_ line: UnsafeRawBufferPointer, isSpaced: Bool) {
    self.line = line
    var start = 0
    var at = 0
    while at <= line.count, count < 3 {
      if !isSpaced, at < line.count, line[at] == UInt8(ascii: "\""), trimmed(start..<at).isEmpty {
        guard let end = closingQuote(behind: at) else {
          isMisquoted = true
          return
        }
        // Doubled quotes stay doubled: the same key is always written so.
        append(at + 1..<end)
        at = line[end...].firstIndex(of: UInt8(ascii: ",")) ?? line.count
        isMisquoted = isMisquoted || !trimmed(end + 1..<at).isEmpty
        start = at + 1
      } else if at == line.count || isBreak(line[at], isSpaced) {
        let isEnd = at == line.count
        let field = trimmed(start..<at)
        if !field.isEmpty || (!isSpaced && !(isEnd && count == 0)) { append(field) }
        start = at + 1
      }
      at += 1
    }
  }

  private func isBreak(_ byte: UInt8, _ isSpaced: Bool) -> Bool {
    isSpaced ? Self.isBlank(byte) : byte == UInt8(ascii: ",")
  }

  private func closingQuote(behind opening: Int) -> Int? {
    var at = opening + 1
    while at < line.count {
      if line[at] == UInt8(ascii: "\"") {
        guard at + 1 < line.count, line[at + 1] == UInt8(ascii: "\"") else { return at }
        at += 1
      }
      at += 1
    }
    return nil
  }

  private mutating func append(_ field: Range<Int>) {
    switch count {
    case 0: bounds.0 = field
    case 1: bounds.1 = field
    default: bounds.2 = field
    }
    count += 1
  }

  private func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (low, high) = (range.lowerBound, range.upperBound)
    while low < high, Self.isBlank(line[low]) { low += 1 }
    while low < high, Self.isBlank(line[high - 1]) { high -= 1 }
    return low..<high
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || (9...13).contains(byte) }

  subscript(index: Int) -> UnsafeRawBufferPointer {
    let range = index == 0 ? bounds.0 : index == 1 ? bounds.1 : bounds.2
    return UnsafeRawBufferPointer(rebasing: line[range])
  }

  func number(_ index: Int) -> UInt64? { Self.number(self[index]) }

  func wholeNumber(_ index: Int) -> Int? {
    let isNegative = self[index].first == UInt8(ascii: "-")
    let field = self[index].dropFirst(isNegative ? 1 : 0)
    let whole = field.prefix { $0 != UInt8(ascii: ".") }
    let fraction = field[whole.endIndex...].dropFirst()
    guard fraction.allSatisfy({ (48...57).contains($0) }),
      let number = Self.number(UnsafeRawBufferPointer(rebasing: whole))
    else { return nil }
    let magnitude = Int(clamping: number)
    return isNegative ? -magnitude - (fraction.allSatisfy { $0 == 48 } ? 0 : 1) : magnitude
  }

  static func number(_ field: UnsafeRawBufferPointer) -> UInt64? {
    if field.isEmpty || field.count > 20 { return nil }
    var value: UInt64 = 0
    for byte in field {
      guard (48...57).contains(byte) else { return nil }
      let (tens, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, hasOverflown) = tens.addingReportingOverflow(UInt64(byte - 48))
      if isTooLarge || hasOverflown { return nil }
      value = sum
    }
    return value
  }

  /// Whether a field begins as a number does: `12`, `-3`, `.5`.
  func isNumeric(_ index: Int) -> Bool {
    guard let first = self[index].first else { return false }
    return (48...57).contains(first)
      || (first == 43 || first == 45 || first == 46) && self[index].count > 1
  }

  func word(_ index: Int) -> String { String(decoding: self[index], as: UTF8.self).lowercased() }
}
