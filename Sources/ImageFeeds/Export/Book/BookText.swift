import ImageModel
import TextEncodings

/// Writes sanitised HTML as XHTML that is nested as the schema of EPUB requires.
///
/// Pages of others have blocks in inline elements, items outside lists, text between rows, links in
/// links: an HTML parser accepts them, XML validators refuse them. Inline elements and paragraphs
/// end before a block, items and cells without their parent become blocks, what is between items,
/// rows or cells gets one of its own, and elements with stricter contents become `div` or `span`.
struct BookText {
  private enum Content { case blocks, inline, items, rows, cells }
  private enum Kind { case block, inline, item, row, cell }

  private static let blocks: Set<String> = [
    "article", "aside", "caption", "dd", "div", "dl", "dt", "figcaption", "footer", "header",
    "section",
  ]
  /// Elements that would need a certain value, position or child.
  private static let spans: [String: String] = ["ruby": "span", "rt": "small", "time": "span"]

  private(set) var output = ""
  private var open: [(name: String, content: Content)] = []
  /// For each element that is open in the HTML, the number of those around the one written for it;
  /// `nil` if none was.
  private var depths: [Int?] = []

  /// - Parameters:
  ///   - missing: The text for an image without file and alternative text.
  ///   - image: Returns the address of the file for the address of an image.
  static func xhtml(
    _ html: String, missing: String, image: (_ source: String) -> String?
  ) throws(ImageError) -> String {
    var text = BookText()
    try Markup.readHTML(html) { step in
      switch step {
      case .opens(let element): text.open(element, missing, image)
      case .text(let words): text.write(words)
      case .closes: text.close()
      }
    }
    text.pop(to: 0)
    return text.output
  }

  /// Text in an element or between quotes, without the characters that XML cannot have.
  /// Source: XML 1.0, 2.2.
  static func escaped(_ text: String) -> String {
    let isPlain = !text.unicodeScalars.contains { $0 == "\u{FFFE}" || $0 == "\u{FFFF}" }
    guard !isPlain else { return HTMLText.escaped(text) }
    let kept = text.unicodeScalars.filter { $0 != "\u{FFFE}" && $0 != "\u{FFFF}" }
    return HTMLText.escaped(String(String.UnicodeScalarView(kept)))
  }

  /// An address on the web as RFC 3986 has it; `nil` for any other. Validators refuse the looser
  /// forms that browsers accept.
  static func address(_ text: String) -> String? {
    guard let url = WebURL(text), text.utf8.count <= HTMLSanitizer.maximumAddressByteCount else {
      return nil
    }
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return url.text }
    let fragment = Array(text.utf8[text.utf8.index(after: mark)...])
    return url.text + "#"
      + PercentEncoding.encoded(
        fragment[...], keepsTriplets: true, keeping: PercentEncoding.isUnreserved)
  }

  // MARK: Elements

  private mutating func open(
    _ element: MarkupElement, _ missing: String, _ image: (String) -> String?
  ) {
    let name = element.name
    var depth: Int?
    defer { depths.append(depth) }
    switch name {
    case "img":
      let alternative = element.attributes["alt"] ?? ""
      prepare(for: .inline)
      if let file = element.attributes["src"].flatMap(image) {
        output += "<img src=\"\(file)\" alt=\"\(Self.escaped(alternative))\"/>"
      } else {
        let text = alternative.isEmpty ? missing : alternative
        output += "<span class=\"missing\">[\(Self.escaped(text))]</span>"
      }
    case "br", "wbr", "hr":
      prepare(for: name == "hr" ? .block : .inline)
      output += "<\(name)/>"
    case "a" where open.contains { $0.name == "a" }: break
    case "rp", "tbody", "tfoot", "thead": break
    default:
      guard let (written, kind, content) = form(of: name) else { return }
      prepare(for: kind)
      depth = open.count
      // A link has what is allowed around it.
      let isWhole = written == "a" && open.last?.content ?? .blocks == .blocks
      push(written, isWhole ? .blocks : content, attributes(of: element, as: written))
    }
  }

  /// The element that is written for one of the HTML.
  private func form(of name: String) -> (name: String, kind: Kind, content: Content)? {
    switch name {
    case "p", "pre", "h2", "h3", "h4", "h5", "h6": (name, .block, .inline)
    // The title of the chapter is the only one.
    case "h1": ("h2", .block, .inline)
    case "blockquote", "figure": (name, .block, .blocks)
    case "ul", "ol": (name, .block, .items)
    case "table": (name, .block, .rows)
    case "li" where isInside(.items): (name, .item, .blocks)
    case "tr" where isInside(.rows): (name, .row, .cells)
    case "td" where isInside(.rows), "th" where isInside(.rows): (name, .cell, .blocks)
    case "li", "tr", "td", "th": ("div", .block, .blocks)
    case _ where Self.blocks.contains(name): ("div", .block, .blocks)
    case _ where HTMLAllowance.elements.contains(name):
      (Self.spans[name] ?? name, .inline, .inline)
    default: nil
    }
  }

  /// Whether there is a list, or a table, without a cell or an item of another in between.
  private func isInside(_ content: Content) -> Bool {
    for element in open.reversed() {
      if element.content == content { return true }
      if content == .items, element.name == "td" || element.name == "th" { return false }
      if content == .rows, element.name == "li" { return false }
    }
    return false
  }

  private mutating func close() {
    if let depth = depths.popLast() ?? nil { pop(to: depth) }
  }

  private mutating func write(_ text: String) {
    let content = open.last?.content ?? .blocks
    let isBetween = content == .items || content == .rows || content == .cells
    if isBetween, text.allSatisfy(\.isWhitespace) { return }
    prepare(for: .inline)
    output += Self.escaped(text)
  }

  // MARK: Nesting

  /// Ends or begins elements until one of a kind may begin.
  private mutating func prepare(for kind: Kind) {
    while true {
      switch (open.last?.content ?? .blocks, kind) {
      case (.items, .item), (.rows, .row), (.cells, .cell), (.blocks, .block), (.blocks, .inline),
        (.inline, .inline):
        return
      case (.items, .block), (.items, .inline): push("li", .blocks)
      case (.rows, .block), (.rows, .inline), (.rows, .cell): push("tr", .cells)
      case (.cells, .block), (.cells, .inline): push("td", .blocks)
      default: pop(to: open.count - 1)
      }
    }
  }

  private mutating func push(_ name: String, _ content: Content, _ attributes: String = "") {
    output += "<\(name)\(attributes)>"
    open.append((name, content))
  }

  private mutating func pop(to count: Int) {
    while open.count > count { output += "</\(open.removeLast().name)>" }
  }

  // MARK: Attributes

  private func attributes(of element: MarkupElement, as name: String) -> String {
    var written = ""
    for (key, value) in element.attributes.sorted(by: { $0.key < $1.key }) {
      guard let value = HTMLAllowance.value(of: key, on: name, raw: value) else { continue }
      if key == "lang", !Self.isLanguage(value) { continue }
      // Only ordered lists have numbers.
      if key == "value", open.last?.name != "ol" { continue }
      written += " \(key)=\"\(Self.escaped(value))\""
    }
    if name == "a", let address = element.attributes["href"].flatMap(Self.address) {
      written += " href=\"\(Self.escaped(address))\""
    }
    return written
  }

  private static func isLanguage(_ tag: String) -> Bool {
    let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
    return (2...3).contains(parts[0].count) && parts[0].allSatisfy(\.isLetter)
      && parts.allSatisfy { (1...8).contains($0.count) }
  }
}
