import ImageModel

/// Bounds on markup that the parser reads in quadratic time, checked before it does.
///
/// libxml2 compares each attribute with all others of its element and with the defaults of a
/// declaration, and copies a comment for each double hyphen in it.
enum MarkupBounds {
  static let maximumAttributeCount = 256
  /// Bytes that the parser may copy for double hyphens in comments of XML, which are an error there:
  /// some 0.3 s.
  private static let maximumCopiedByteCount = 256 << 20

  // MARK: XML

  /// - Parameter text: UTF-8 without characters that XML does not have, as ``DocumentText`` has it.
  static func checkXML(_ text: [UInt8]) throws(ImageError) {
    if declares(text) {
      throw ImageError(
        .notAFeed, "the XML declares entities or elements of its own, which is not accepted")
    }
    // Each `<` begins another, as in the parser: none may be within a value.
    var attributeCount: Int?
    var quote: UInt8?
    var comment: Int?
    var isInstruction = false
    var copied = 0
    var last: UInt8 = 0
    // Whether a section that begins may end.
    var hasSectionEnd = true
    var next = 0
    while next < text.count {
      let index = next
      let byte = text[index]
      next += 1
      switch byte {
      case UInt8(ascii: "<"):
        if hasSectionEnd, attributeCount == nil, comment == nil, !isInstruction,
          text[index...].starts(with: "<![CDATA[".utf8)
        {
          if let end = text[(index + 9)...].end(of: "]]>") {
            next = end
            continue
          }
          hasSectionEnd = false
        }
        quote = nil
        attributeCount = 0
        if text[index...].starts(with: "<?".utf8) { isInstruction = true }
        if comment == nil, text[index...].starts(with: "<!--".utf8) { comment = index }
      case UInt8(ascii: ">"):
        if quote == nil { attributeCount = nil }
        if index > 0, text[index - 1] == UInt8(ascii: "?") { isInstruction = false }
        if let start = comment, index >= start + 6, text[(index - 2)..<index] == [0x2D, 0x2D] {
          comment = nil
        }
      case UInt8(ascii: "-"):
        if let comment, last == byte { copied += index - comment }
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        if quote == byte {
          quote = nil
        } else if let count = attributeCount, quote == nil, last == UInt8(ascii: "=") {
          quote = byte
          attributeCount = count + 1
        }
      default: break
      }
      if byte > 0x20 { last = byte }
      if attributeCount ?? 0 > maximumAttributeCount {
        throw ImageError(
          .notAFeed, "an element of the XML has more than \(maximumAttributeCount) attributes")
      }
      if copied > maximumCopiedByteCount {
        throw ImageError(.notAFeed, "the XML has too many double hyphens in a comment")
      }
    }
  }

  private static func declares(_ text: [UInt8]) -> Bool {
    var rest = text.drop { $0 >= 0x80 }
    while true {
      rest = rest.drop { $0 <= 0x20 }
      if rest.starts(with: "<?".utf8) {
        rest = rest.end(of: "?>").map { rest[$0...] } ?? []
      } else if rest.starts(with: "<!--".utf8) {
        rest = rest.dropFirst(4).end(of: "-->").map { rest[$0...] } ?? []
      } else {
        break
      }
    }
    guard rest.starts(with: "<!DOCTYPE".utf8) else { return false }
    var quote: UInt8?
    for byte in rest {
      if byte == UInt8(ascii: "[") { return true }
      if byte == UInt8(ascii: ">"), quote == nil { return false }
      if byte == quote {
        quote = nil
      } else if quote == nil, byte == 0x22 || byte == 0x27 {
        quote = byte
      }
    }
    return false
  }

  // MARK: HTML

  /// Returns HTML in which no element has more than ``maximumAttributeCount`` attributes: a `>` ends
  /// the tag before the next one.
  ///
  /// Where a tag begins and a quoted value ends depends on comments, scripts and errors, which
  /// versions of the parser read differently. So all that the parser may be in is followed at once,
  /// each with the attributes so far: a tag, and a value in either kind of quotes.
  static func bounded(_ html: String) -> String {
    var html = html
    let ends = html.withUTF8 { text in
      var tags = OpenTags()
      return text.indices.filter {
        tags.consume(text[$0], before: $0 + 1 < text.count ? text[$0 + 1] : 0)
      }
    }
    guard !ends.isEmpty else { return html }
    var bytes: [UInt8] = []
    var rest = Array(html.utf8)[...]
    for end in ends {
      bytes += rest[..<end] + [UInt8(ascii: ">")]
      rest = rest[end...]
    }
    return String(decoding: bytes + rest, as: UTF8.self)
  }

  /// The tags that may be open at a place of HTML.
  private struct OpenTags {
    private enum Token {
      /// White space, where a name begins an attribute.
      case none
      case name, named
      case equals
      /// Anything else up to white space: the parsers read it differently.
      case other
    }

    /// Attributes of the tag outside of quotes; `nil` where there is no such tag.
    private var plain: Int?
    /// Attributes of the tag within a value in `"`, and in `'`.
    private var double: Int?
    private var single: Int?
    /// The one at the end of the tag outside of quotes.
    private var token = Token.other

    /// Returns whether a byte begins one attribute too many; then the tag is taken as ended.
    mutating func consume(_ byte: UInt8, before next: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "<") where plain == nil:
        if (0x61...0x7A).contains(next | 0x20) || ".:_".utf8.contains(next) {
          plain = 0
          token = .other
        }
      case UInt8(ascii: ">"): plain = nil
      case UInt8(ascii: "\""): consume(quote: byte, \.double)
      case UInt8(ascii: "'"): consume(quote: byte, \.single)
      default: extend(byte)
      }
      guard let count = plain, count > maximumAttributeCount else { return false }
      plain = nil
      return true
    }

    private mutating func consume(quote: UInt8, _ value: WritableKeyPath<Self, Int?>) {
      let ended = self[keyPath: value]
      self[keyPath: value] = nil
      if token == .equals, let count = plain {
        self[keyPath: value] = count
        plain = nil
      } else {
        extend(quote)
      }
      guard let ended else { return }
      // Behind a value an attribute may begin at once; where the quote may also be a part of a name,
      // this counts one too many.
      token = .none
      plain = plain.map { max($0, ended) + 1 } ?? ended
    }

    private mutating func extend(_ byte: UInt8) {
      guard let count = plain else { return }
      let isName: Bool
      switch byte {
      case 0x09, 0x0A, 0x0C, 0x0D, 0x20:
        if token == .name { token = .named } else if token == .other { token = .none }
        return
      case UInt8(ascii: "=") where token == .name || token == .named:
        token = .equals
        return
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F:
        isName = token != .equals && token != .other
      default: isName = false
      }
      if token == .none || token == .named { plain = count + 1 }
      token = isName ? .name : .other
    }
  }
}

extension ArraySlice<UInt8> {
  /// The index behind the first occurrence of a mark that ends with `>`.
  func end(of mark: String) -> Int? {
    indices.first {
      self[$0] == UInt8(ascii: ">") && self[...$0].suffix(mark.utf8.count).elementsEqual(mark.utf8)
    }.map { $0 + 1 }
  }
}
