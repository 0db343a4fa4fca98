import ImageModel

/// Lists of `name`, `name=token` and `name="quoted"` (RFC 9111 §5.2, RFC 9110 §5.6).
struct HTTPDirectives {
  struct Directive {
    /// In lower case.
    let name: String
    let value: String?
    let isQuoted: Bool
  }

  private(set) var members: [Directive] = []
  /// The words of the line, in lower case, if a part of it is not such a list: a quote that is not
  /// closed, two words where a comma is missing. The members are then a guess.
  private(set) var malformedWords: Set<String>?

  init(_ line: String) {
    var rest = Array(line.utf8)[...]
    var isMalformed = false
    while !rest.isEmpty {
      var name: [UInt8] = []
      var value: [UInt8]?
      var quoting = Quoting.none
      reading: while let byte = rest.popFirst() {
        switch (quoting, byte) {
        case (.open, UInt8(ascii: "\\")):
          guard let escaped = rest.popFirst() else { break reading }
          value?.append(escaped)
        case (.open, UInt8(ascii: "\"")): quoting = .closed
        case (.open, _): value?.append(byte)
        case (_, UInt8(ascii: ",")): break reading
        case (.none, UInt8(ascii: "=")) where value == nil: value = []
        case (.none, UInt8(ascii: "\"")) where value.map({ Self.trimmed($0).isEmpty }) == true:
          quoting = .open
          value = []
        case (.closed, _): isMalformed = isMalformed || !HTTPText.isBlank(byte)
        default: if value == nil { name.append(byte) } else { value?.append(byte) }
        }
      }
      let word = Self.trimmed(name)
      let text = value.map { quoting == .none ? Self.trimmed($0) : $0[...] }
      isMalformed = isMalformed || quoting == .open || !Self.isWord(word)
      if quoting == .none, let text { isMalformed = isMalformed || !Self.isWord(text) }
      if word.isEmpty {
        isMalformed = isMalformed || value != nil
      } else {
        members.append(
          Directive(
            name: String(decoding: word, as: UTF8.self).lowercased(),
            value: text.map { String(decoding: $0, as: UTF8.self) }, isQuoted: quoting != .none))
      }
    }
    if isMalformed { malformedWords = Self.words(of: line) }
  }

  private enum Quoting { case none, open, closed }

  /// Delta seconds (RFC 9111 §1.2.2), digits alone; more than 2³¹ counts as 2³¹.
  static func seconds(_ text: String?) -> Int? {
    text.flatMap { HTTPText.clampedNumber($0) }.map { min($0, 1 << 31) }
  }

  private static func words(of line: String) -> Set<String> {
    let words = line.utf8.split {
      !HTTPText.isAlphanumeric($0, or: "-_")
    }
    return Set(words.map { String(decoding: $0, as: UTF8.self).lowercased() })
  }

  /// Whether there is nothing that separates words: a lenient reading of a token.
  private static func isWord(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.allSatisfy {
      $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: ";")
    }
  }

  private static func trimmed(_ bytes: [UInt8]) -> ArraySlice<UInt8> {
    HTTPText.withoutBlanks(bytes[...])
  }
}
