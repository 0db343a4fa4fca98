import TextEncodings

/// Rewrites damaged XML of a feed so that the parser finds all of its items.
///
/// A text, such as a description, reaches to its own end tag, and markup in it becomes the text of one
/// element ``htmlName``: authors forget to escape HTML. All other elements end in order, an item where
/// the next one begins. References to named characters are written by number, and so are `<` and `&`
/// that begin nothing; comments and instructions are left out. An item in which the document ends is
/// left out: without all of its identifiers and dates it would be filed as another. It takes linear
/// time.
struct MarkupRepair {
  static let htmlName = "html-text"

  /// The code of a named character of HTML; the name ends with a zero.
  private let character: (_ name: [UInt8]) -> UInt32?
  private var rest: ArraySlice<UInt8>
  private var output: [UInt8] = []
  private var open: [ArraySlice<UInt8>] = []
  /// Where the outermost open item begins in the output, and its depth.
  private var item: (start: Int, depth: Int)?
  /// What was searched for in vain, and is not to be found further on.
  private var absent: Set<String> = []
  /// Up to where texts have no end tag, by their names.
  private var endless: [String: Int] = [:]

  /// - Returns: The XML, and whether the document ends within an item.
  static func repaired(
    _ bytes: [UInt8], character: @escaping (_ name: [UInt8]) -> UInt32?
  ) -> (bytes: [UInt8], isCut: Bool) {
    var repair = MarkupRepair(character: character, rest: bytes[...])
    while let byte = repair.rest.first {
      // Nothing but an element is outside the root.
      if repair.open.isEmpty, byte != UInt8(ascii: "<") || !repair.output.isEmpty {
        if !repair.output.isEmpty { break }
        repair.rest.removeFirst()
      } else {
        repair.consume(byte)
      }
    }
    let cut = repair.item
    if let cut {
      repair.output.removeSubrange(cut.start...)
      repair.open.removeSubrange(cut.depth...)
    }
    repair.close(downTo: 0)
    return (repair.output, cut != nil)
  }

  private init(character: @escaping ([UInt8]) -> UInt32?, rest: ArraySlice<UInt8>) {
    self.character = character
    self.rest = rest
    output.reserveCapacity(rest.count + rest.count / 16)
  }

  private mutating func consume(_ byte: UInt8) {
    if byte == UInt8(ascii: "<") {
      consumeMarkup()
    } else if byte == UInt8(ascii: "&") {
      consumeReference()
    } else {
      let text = rest.prefix { $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: "&") }
      output += text
      rest = rest[text.endIndex...]
    }
  }

  private mutating func consumeMarkup() {
    let next = rest.dropFirst().first ?? 0
    if rest.starts(with: Self.sectionStart) {
      if let end = end(of: "]]>", from: rest.startIndex + 9) {
        output += rest[..<end]
        rest = rest[end...]
      } else {
        rest = rest.dropFirst(9)
      }
    } else if next == UInt8(ascii: "!") || next == UInt8(ascii: "?") {
      let end = end(of: rest.starts(with: "<!--".utf8) ? "-->" : ">", from: rest.startIndex + 2)
      rest = end.map { rest[$0...] } ?? rest.dropFirst(2)
    } else if next == UInt8(ascii: "/") {
      let name = name(at: rest.startIndex + 2)
      let tail = rest[name.endIndex...].prefix {
        $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<")
      }
      rest = rest[tail.endIndex...]
      if rest.first == UInt8(ascii: ">") { rest.removeFirst() }
      if let index = open.lastIndex(of: name) { close(downTo: index) }
    } else if Self.isNameStart(next) {
      consumeStartTag()
    } else {
      output += Array("&lt;".utf8)
      rest.removeFirst()
    }
  }

  private mutating func close(downTo count: Int) {
    if let item, count <= item.depth { self.item = nil }
    while open.count > count {
      output += Array("</".utf8) + open.removeLast() + [UInt8(ascii: ">")]
    }
  }

  // MARK: Start tags

  /// Elements above this depth are left out: the parser stops at 256.
  private static let maximumDepth = 200

  private mutating func consumeStartTag() {
    let name = name(at: rest.startIndex + 1)
    rest = rest[name.endIndex...]
    let start = output.count
    output += [UInt8(ascii: "<")] + name
    var last: UInt8 = 0
    while let byte = rest.first, byte != UInt8(ascii: ">"), byte != UInt8(ascii: "<") {
      if last == UInt8(ascii: "="), byte > 0x20 {
        consumeValue()
        last = UInt8(ascii: "\"")
      } else {
        output.append(byte)
        rest.removeFirst()
        if byte > 0x20 { last = byte }
      }
    }
    if rest.isEmpty || open.count >= Self.maximumDepth {
      output.removeSubrange(start...)
      rest = rest.dropFirst()
      return
    }
    if rest.first == UInt8(ascii: ">") { rest.removeFirst() }
    let isItem = Self.items.contains(Self.local(name))
    var itemStart = start
    if isItem, let index = open.lastIndex(of: name) {
      let tag = Array(output[start...])
      output.removeSubrange(start...)
      close(downTo: index)
      itemStart = output.count
      output += tag
    }
    if last == UInt8(ascii: "=") { output += Array("\"\"".utf8) }
    let isVoid = last != UInt8(ascii: "/") && Self.voids.contains(Self.local(name))
    output += Array((isVoid ? "/>" : ">").utf8)
    guard last != UInt8(ascii: "/"), !isVoid else { return }
    if isItem, item == nil { item = (itemStart, open.count) }
    open.append(name)
    if Self.texts.contains(Self.local(name)), !name.starts(with: "media:content".utf8) {
      consumeText(of: Self.local(name))
    }
  }

  /// The value of an attribute, which may lack its quotes or the second of them.
  private mutating func consumeValue() {
    let quote = rest.first.flatMap {
      $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") ? $0 : nil
    }
    if quote != nil { rest.removeFirst() }
    output.append(quote ?? UInt8(ascii: "\""))
    while let byte = rest.first, byte != quote, byte != UInt8(ascii: "<") {
      if quote == nil {
        let isEnd = byte == UInt8(ascii: "/") && rest.dropFirst().first == UInt8(ascii: ">")
        if byte <= 0x20 || byte == UInt8(ascii: ">") || isEnd { break }
      }
      if byte == UInt8(ascii: "&") {
        consumeReference()
      } else {
        output += byte == UInt8(ascii: "\"") ? Array("&#34;".utf8) : [byte]
        rest.removeFirst()
      }
    }
    output.append(quote ?? UInt8(ascii: "\""))
    if quote != nil, rest.first == quote { rest.removeFirst() }
  }

  // MARK: Texts

  private static let texts: Set<String> = [
    "title", "description", "encoded", "summary", "content", "subtitle", "body", "tagline",
    "rights",
    "copyright",
  ]
  private static let voids: Set<String> = ["enclosure", "thumbnail"]
  private static let items: Set<String> = ["item", "entry"]
  private static let bounds: Set<String> = items.union(["channel", "feed", "rss", "RDF"])
  private static let sectionStart = Array("<![CDATA[".utf8)

  /// The text of an element that was opened; without markup it is left to the other steps.
  private mutating func consumeText(of name: String) {
    if let end = endless[name], rest.startIndex < end { return endText() }
    var text: [UInt8] = []
    var hasMarkup = false
    var next = rest.startIndex
    var bound = rest.endIndex
    while let at = rest[next...].firstIndex(of: UInt8(ascii: "<")) {
      text += rest[next..<at]
      next = at + 1
      if rest[at...].starts(with: Self.sectionStart), let end = end(of: "]]>", from: at + 9) {
        text += rest[(at + 9)..<(end - 3)]
        next = end
        continue
      }
      let isEnd = next < rest.endIndex && rest[next] == UInt8(ascii: "/")
      let found = Self.local(self.name(at: isEnd ? next + 1 : next))
      if isEnd, found == name {
        guard hasMarkup else { return }
        output += Self.section(text)
        rest = rest[at...]
        return
      }
      if isEnd ? Self.bounds.contains(found) : !isInItem && Self.items.contains(found) {
        bound = at
        break
      }
      hasMarkup = hasMarkup || isMarkup(at: at)
      text.append(UInt8(ascii: "<"))
    }
    endless[name] = bound
    endText()
  }

  private var isInItem: Bool { open.contains { Self.items.contains(Self.local($0)) } }

  private mutating func endText() {
    while let byte = rest.first, !isMarkup(at: rest.startIndex) { consume(byte) }
    close(downTo: open.count - 1)
  }

  private func isMarkup(at index: Int) -> Bool {
    guard rest[index] == UInt8(ascii: "<"), index + 1 < rest.endIndex,
      !rest[index...].starts(with: Self.sectionStart)
    else { return false }
    return Self.isNameStart(rest[index + 1]) || "/!?".utf8.contains(rest[index + 1])
  }

  private static func section(_ html: [UInt8]) -> [UInt8] {
    var section = Array("<\(htmlName)><![CDATA[".utf8)
    for (index, byte) in html.enumerated() {
      if byte == UInt8(ascii: ">"), index > 1, html[index - 1] == UInt8(ascii: "]"),
        html[index - 2] == UInt8(ascii: "]")
      {
        section += Array("]]><![CDATA[".utf8)
      }
      section.append(byte)
    }
    return section + Array("]]></\(htmlName)>".utf8)
  }

  // MARK: Names and references

  private static func isNameStart(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  private func name(at start: Int) -> ArraySlice<UInt8> {
    rest.dropFirst(start - rest.startIndex).prefix { $0 > 0x20 && !"/>=<\"'&".utf8.contains($0) }
  }

  /// The name without prefix; of a long one the beginning.
  private static func local(_ name: ArraySlice<UInt8>) -> String {
    String(decoding: name.prefix(40).split(separator: UInt8(ascii: ":")).last ?? [], as: UTF8.self)
  }

  private mutating func end(of mark: String, from start: Int) -> Int? {
    guard start < rest.endIndex, !absent.contains(mark) else { return nil }
    let end = rest[start...].end(of: mark)
    if end == nil { absent.insert(mark) }
    return end
  }

  private mutating func consumeReference() {
    // The longest name of HTML has eight letters, and numbers may begin with zeros.
    let room = rest.dropFirst().prefix(16)
    let name = room.prefix { $0 != UInt8(ascii: ";") }
    let text = String(decoding: name, as: UTF8.self)
    let isReference =
      text.hasPrefix("#")
      || text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0.isNumber }
    guard name.count < room.count, isReference else {
      output += Array("&#38;".utf8)
      rest.removeFirst()
      return
    }
    rest = rest.dropFirst(name.count + 2)
    // By number already, or unknown.
    let number = text == "apos" ? 39 : character(Array(name) + [0])
    output += Array((number.map { "&#\($0);" } ?? "&\(text);").utf8)
  }
}
