/// A dictionary of structured fields: keys with bare items or inner lists, their parameters read and left out.
///
/// Parsing is strict: whatever is no dictionary as a whole is `nil`, as RFC 9651 §4.2 demands, so that half a field
/// never counts.
struct StructuredDictionary: Sendable, Hashable {
  /// What a key stands for.
  enum Value: Sendable, Hashable {
    case integer(Int)
    case decimal(String)
    case string(String)
    case token(String)
    case bytes(String)
    case boolean(Bool)
    case date(Int)
    case list([Value])
  }

  private(set) var members: [String: Value] = [:]

  subscript(key: String) -> Value? { members[key] }

  /// Reads the lines of a field; of a key given twice the last counts (§4.2.2).
  init?(_ lines: [String]) {
    var reader = Reader(rest: Array(lines.joined(separator: ",").utf8)[...])
    reader.skipSpaces()
    while !reader.isAtEnd {
      guard let key = reader.key() else { return nil }
      if reader.take("=") {
        guard let value = reader.itemOrList() else { return nil }
        members[key] = value
      } else {
        guard reader.parameters() else { return nil }
        members[key] = .boolean(true)
      }
      reader.skipBlanks()
      if reader.isAtEnd { return }
      guard reader.take(",") else { return nil }
      reader.skipBlanks()
      if reader.isAtEnd { return nil }
    }
  }
}

/// Goes through the bytes of a field, one production of RFC 9651 §4.2 a method; `nil` for what breaks its rule.
private struct Reader {
  typealias Value = StructuredDictionary.Value
  var rest: ArraySlice<UInt8>

  var isAtEnd: Bool { rest.isEmpty }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  mutating func skipSpaces() { rest = rest.drop { $0 == 0x20 } }
  mutating func skipBlanks() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

  mutating func key() -> String? {
    guard let first = rest.first, Self.isLower(first) || first == UInt8(ascii: "*") else {
      return nil
    }
    return text { Self.isLower($0) || Self.isDigit($0) || "_-.*".utf8.contains($0) }
  }

  mutating func itemOrList() -> Value? {
    guard take("(") else { return item() }
    var items: [Value] = []
    while true {
      skipSpaces()
      if take(")") { return parameters() ? .list(items) : nil }
      guard let item = item() else { return nil }
      items.append(item)
      guard rest.first == 0x20 || rest.first == UInt8(ascii: ")") else { return nil }
    }
  }

  mutating func parameters() -> Bool {
    while take(";") {
      skipSpaces()
      guard key() != nil else { return false }
      if take("="), bareItem() == nil { return false }
    }
    return true
  }

  private mutating func item() -> Value? {
    guard let item = bareItem(), parameters() else { return nil }
    return item
  }

  private mutating func bareItem() -> Value? {
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
    case UInt8(ascii: "\""): return string()
    case UInt8(ascii: ":"): return bytes()
    case UInt8(ascii: "?"):
      rest.removeFirst()
      return take("1") ? .boolean(true) : take("0") ? .boolean(false) : nil
    case UInt8(ascii: "@"):
      rest.removeFirst()
      guard case .integer(let seconds) = number() else { return nil }
      return .date(seconds)
    case _ where Self.isLetter(first) || first == UInt8(ascii: "*"):
      return .token(text { Self.isTokenByte($0) || $0 == UInt8(ascii: ":") || $0 == 0x2F })
    default: return nil
    }
  }

  /// At most 15 digits, or 12 and 3 around a point.
  private mutating func number() -> Value? {
    let isNegative = take("-")
    let whole = text(Self.isDigit)
    guard !whole.isEmpty, whole.utf8.count <= 15 else { return nil }
    if take(".") {
      let fraction = text(Self.isDigit)
      guard whole.utf8.count <= 12, (1...3).contains(fraction.utf8.count) else { return nil }
      return .decimal("\(isNegative ? "-" : "")\(whole).\(fraction)")
    }
    return Int(whole).map { .integer(isNegative ? -$0 : $0) }
  }

  private mutating func string() -> Value? {
    rest.removeFirst()
    var found: [UInt8] = []
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\\"):
        guard let next = rest.popFirst(), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\")
        else { return nil }
        found.append(next)
      case UInt8(ascii: "\""): return .string(String(decoding: found, as: UTF8.self))
      case 0x20...0x7E: found.append(byte)
      default: return nil
      }
    }
    return nil
  }

  private mutating func bytes() -> Value? {
    rest.removeFirst()
    let found = text { Self.isLetter($0) || Self.isDigit($0) || "+/=".utf8.contains($0) }
    return take(":") ? .bytes(found) : nil
  }

  private mutating func text(_ belongs: (UInt8) -> Bool) -> String {
    let found = rest.prefix(while: belongs)
    rest = rest[found.endIndex...]
    return String(decoding: found, as: UTF8.self)
  }

  private static func isLower(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { isLower(byte | 0x20) }
  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
