/// Lists of `name`, `name=token` and `name="quoted"` (RFC 9111 §5.2, RFC 9110 §5.6).
enum HTTPDirectives {
  /// The directives of one line, names in lower case, quotes and escapes taken away.
  static func split(_ line: String) -> [(name: String, value: String?)] {
    var found: [(name: String, value: String?)] = []
    var characters = Array(line.utf8)[...]
    while !characters.isEmpty {
      var item: [UInt8] = []
      var value: [UInt8]?
      var isQuoted = false
      while let byte = characters.popFirst() {
        if isQuoted {
          if byte == UInt8(ascii: "\\"), let escaped = characters.popFirst() {
            value?.append(escaped)
          } else if byte == UInt8(ascii: "\"") {
            isQuoted = false
          } else {
            value?.append(byte)
          }
        } else if byte == UInt8(ascii: ",") {
          break
        } else if byte == UInt8(ascii: "="), value == nil {
          value = []
        } else if byte == UInt8(ascii: "\""), value?.isEmpty == true {
          isQuoted = true
        } else if value != nil {
          value?.append(byte)
        } else {
          item.append(byte)
        }
      }
      let name = trimmed(item).lowercased()
      if !name.isEmpty { found.append((name, value.map { trimmed($0) })) }
    }
    return found
  }

  /// Delta seconds (RFC 9111 §1.2.2): digits alone; more than 2³¹ counts as 2³¹. `nil` for anything else.
  static func seconds(_ text: String?) -> Int? {
    guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return min(Int(text) ?? .max, 1 << 31)
  }

  /// A number without a sign; `nil` for anything else, and for what is too large for an `Int`.
  static func digits(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
  }

  private static func trimmed(_ bytes: [UInt8]) -> String {
    let blank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
    var slice = bytes[...].drop(while: blank)
    while let last = slice.last, blank(last) { slice.removeLast() }
    return String(decoding: slice, as: UTF8.self)
  }
}
