import ImageModel

/// Bounds on markup that the parser reads in quadratic time, checked before it does.
///
/// libxml2 compares each attribute with all others of its element and with the defaults of a
/// declaration, and copies a comment for each double hyphen in it.
enum MarkupBounds {
  /// Attributes of one element.
  static let maximumAttributeCount = 256
  /// Bytes that the parser may copy for double hyphens in comments of XML, which are an error there:
  /// some 0.3 s.
  private static let maximumCopiedByteCount = 256 << 20

  // MARK: XML

  /// - Throws: `ImageError` with code `notAFeed` for XML in an encoding that hides its tags, with
  ///   declarations of its own, or above one of the bounds.
  static func checkXML(_ bytes: [UInt8]) throws(ImageError) {
    let text = ascii(bytes)
    if let name = unreadableEncoding(of: text) {
      throw ImageError(.notAFeed, "the XML is in the encoding \(name), which is not read")
    }
    if declares(text) {
      throw ImageError(
        .notAFeed, "the XML declares entities or elements of its own, which is not accepted")
    }
    // Each `<` begins anew, as in the parser: none may be within a value.
    var attributeCount: Int?
    var quote: UInt8?
    var comment: Int?
    var isInstruction = false
    var copied = 0
    var last: UInt8 = 0
    // In other widths the characters that end a section are not seen.
    let hasSections = text.count == bytes.count
    // No section that begins before it ends.
    var endless = 0
    var next = 0
    while next < text.count {
      let index = next
      let byte = text[index]
      next += 1
      switch byte {
      case UInt8(ascii: "<"):
        if hasSections, attributeCount == nil, comment == nil, !isInstruction, index >= endless,
          text[index...].starts(with: "<![CDATA[".utf8)
        {
          let (stop, isEnd) = endOfSection(in: text, from: index + 9)
          if isEnd {
            next = stop
            continue
          }
          endless = stop
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

  /// Where the content of a CDATA section ends: behind `]]>`, or at the end of the text or a character
  /// that XML does not have, which may end it for the parser.
  private static func endOfSection(
    in text: [UInt8], from start: Int
  ) -> (stop: Int, isEnd: Bool) {
    for index in start..<text.count {
      switch text[index] {
      case UInt8(ascii: ">") where index >= start + 2:
        if text[index - 1] == UInt8(ascii: "]"), text[index - 2] == UInt8(ascii: "]") {
          return (index + 1, true)
        }
      case 0..<0x09, 0x0B, 0x0C, 0x0E..<0x20: return (index, false)
      // Surrogates, and U+FFFE and U+FFFF.
      case 0xA0... where text[index - 1] == 0xED: return (index, false)
      case 0xBE... where text[index - 1] == 0xBF && text[index - 2] == 0xEF: return (index, false)
      default: break
      }
    }
    return (text.count, false)
  }

  /// The text with a byte for each unit of UTF-8, UTF-16 or UTF-32, as the first four bytes say;
  /// 0x80 for units that are not ASCII.
  private static func ascii(_ bytes: [UInt8]) -> [UInt8] {
    let start = bytes.prefix(4)
    let isLittle = start.first == 0xFF || start.first == UInt8(ascii: "<")
    let width =
      start.count(where: { $0 == 0 }) > 1 && start.count == 4
      ? (start.elementsEqual([0x3C, 0, 0x3F, 0]) || start.elementsEqual([0, 0x3C, 0, 0x3F]) ? 2 : 4)
      : start.contains(0) || [[0xFF, 0xFE], [0xFE, 0xFF]].contains(Array(start.prefix(2))) ? 2 : 1
    guard width > 1 else { return bytes }
    return stride(from: 0, to: bytes.count - width + 1, by: width).map { at in
      let unit = isLittle ? bytes[at..<at + width].reversed() : Array(bytes[at..<at + width])
      return unit.dropLast().allSatisfy { $0 == 0 } ? min(unit[width - 1], 0x80) : 0x80
    }
  }

  /// Encodings in which `<`, `=`, quotes and `-` are the bytes of ASCII, and those bytes nothing
  /// else. "UTF-16" without an order of bytes is no encoding of what begins in ASCII, and ignored.
  private static let readable = [
    "UTF-8", "UTF8", "ASCII", "US-ASCII", "ISO-8859", "ISO8859", "ISO_8859", "LATIN", "WINDOWS-",
    "CP125", "CP932", "CP936", "CP949", "CP950", "KOI8", "GB", "BIG5", "BIG-5", "SHIFT", "SJIS",
    "X-SJIS", "EUC", "TIS", "MAC", "X-MAC", "KS_C", "UHC",
  ]

  /// The encoding that the declaration names, unless it is a ``readable`` one.
  private static func unreadableEncoding(of text: [UInt8]) -> String? {
    let start = text.drop { $0 >= 0x80 }
    guard start.starts(with: "<?xml".utf8) else { return nil }
    let declaration = start.prefix { $0 != UInt8(ascii: ">") }
    // Every second part is within quotes: a version, an encoding, `standalone`.
    let parts = declaration.split(omittingEmptySubsequences: false) { $0 == 0x22 || $0 == 0x27 }
    for (number, part) in parts.enumerated() where number % 2 == 1 {
      let name = String(decoding: part, as: UTF8.self).uppercased()
      let isKnown =
        name.first?.isNumber ?? true || ["YES", "NO", "UTF-16", "UTF16"].contains(name)
        || readable.contains(where: name.hasPrefix)
      if !isKnown { return String(name.prefix(40)) }
    }
    return nil
  }

  /// Whether a `DOCTYPE` before the root element has declarations.
  private static func declares(_ text: [UInt8]) -> Bool {
    var rest = text.drop { $0 >= 0x80 }
    func skip(past end: String) -> ArraySlice<UInt8> {
      let bound = rest.indices.first {
        rest[$0] == UInt8(ascii: ">") && rest[...$0].suffix(end.utf8.count).elementsEqual(end.utf8)
      }
      return bound.map { rest[$0...].dropFirst() } ?? []
    }
    while true {
      rest = rest.drop { $0 <= 0x20 }
      if rest.starts(with: "<?".utf8) {
        rest = skip(past: "?>")
      } else if rest.starts(with: "<!--".utf8) {
        rest = rest.dropFirst(4)
        rest = skip(past: "-->")
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
        tags.take(text[$0], before: $0 + 1 < text.count ? text[$0 + 1] : 0)
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
      /// A name, and white space behind it.
      case name, named
      /// The equals sign of a name, behind which quotes begin a value.
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

    /// Takes the next byte.
    ///
    /// - Returns: Whether it begins one attribute too many; then the tag is taken as ended.
    mutating func take(_ byte: UInt8, before next: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "<") where plain == nil:
        if (0x61...0x7A).contains(next | 0x20) || ".:_".utf8.contains(next) {
          plain = 0
          token = .other
        }
      case UInt8(ascii: ">"): plain = nil
      case UInt8(ascii: "\""): take(quote: byte, \.double)
      case UInt8(ascii: "'"): take(quote: byte, \.single)
      default: extend(byte)
      }
      guard let count = plain, count > maximumAttributeCount else { return false }
      plain = nil
      return true
    }

    private mutating func take(quote: UInt8, _ value: WritableKeyPath<Self, Int?>) {
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
