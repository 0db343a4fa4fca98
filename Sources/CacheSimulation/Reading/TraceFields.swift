/// The first three fields of a line, without copying.
struct TraceFields {
  private let line: UnsafeRawBufferPointer
  private var bounds: (Range<Int>, Range<Int>, Range<Int>) = (0..<0, 0..<0, 0..<0)
  /// Fields found, 3 at most.
  private(set) var count = 0

  /// - Parameter isSpaced: Whether blanks part the fields, any number of them; else a comma does.
  init(_ line: UnsafeRawBufferPointer, isSpaced: Bool) {
    self.line = line
    var start = 0
    var at = 0
    while at <= line.count, count < 3 {
      let isEnd = at == line.count
      let isBreak = isEnd || (isSpaced ? Self.isBlank(line[at]) : line[at] == UInt8(ascii: ","))
      if isBreak {
        let field = trimmed(start..<at)
        if !field.isEmpty || (!isSpaced && !(isEnd && count == 0)) { append(field) }
        start = at + 1
      }
      at += 1
    }
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

  /// A field of digits alone; `nil` for another, or one above 64 bits.
  func number(_ index: Int) -> UInt64? { Self.number(self[index]) }

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

  /// Whether no field is a number: names of columns.
  var isHeader: Bool {
    let words: Set<String> = ["time", "timestamp", "key", "id", "obj_id", "url", "size"]
    return (0..<count).allSatisfy { words.contains(String(decoding: self[$0], as: UTF8.self)) }
  }
}
