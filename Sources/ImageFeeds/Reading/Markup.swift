import ImageModel

internal import CXML2

/// The only importer of libxml2: turns XML and HTML into ``MarkupElement`` values.
///
/// The parser never touches the network or other files, knows no entities but the predefined ones,
/// and keeps its own limits on depth (256) and on single texts (10 MB).
enum Markup {
  static let maximumXMLByteCount = 64 << 20
  static let maximumHTMLByteCount = 16 << 20

  struct XML {
    var root: MarkupElement
    /// The place of the first error, up to which the text was read; `nil` if it is well-formed.
    var fault: String?
  }

  /// Parses XML of any encoding.
  ///
  /// - Throws: `ImageError` with code `notAFeed` when there is not a single element, when the
  ///   text declares entities of its own, or passes ``maximumXMLByteCount``.
  static func xml(_ bytes: [UInt8]) throws(ImageError) -> XML {
    guard bytes.count <= maximumXMLByteCount else {
      throw ImageError(.tooLarge, "the XML is larger than \(maximumXMLByteCount >> 20) MiB")
    }
    guard !declaresEntities(bytes) else {
      throw ImageError(.notAFeed, "the XML declares entities of its own, which is not accepted")
    }
    initialise()
    guard let context = xmlNewParserCtxt() else {
      throw ImageError(.outOfMemory, "out of memory for the XML parser")
    }
    defer { xmlFreeParserCtxt(context) }
    context.pointee.sax?.pointee.entityDecl = nil

    let options =
      XML_PARSE_RECOVER.rawValue | XML_PARSE_NONET.rawValue | XML_PARSE_NOCDATA.rawValue
      | XML_PARSE_NOERROR.rawValue | XML_PARSE_NOWARNING.rawValue
    let document = bytes.withUnsafeBytes { room in
      xmlCtxtReadMemory(
        context, room.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(room.count), nil, nil,
        Int32(options))
    }
    defer { xmlFreeDoc(document) }
    guard let document, let root = xmlDocGetRootElement(document) else {
      throw ImageError(.notAFeed, "the response is \(BytesDescription.ofText(bytes)), not a feed")
    }
    let isWhole = context.pointee.wellFormed == 1
    let line = Int(context.pointee.lastError.line)
    return XML(root: tree(root), fault: isWhole ? nil : "the XML is damaged at line \(line)")
  }

  enum Step {
    /// An element begins; its children are not in it.
    case opens(MarkupElement)
    /// Text, entities decoded.
    case text(String)
    /// The element that was opened last, and is not closed yet, ends.
    case closes
  }

  /// Parses HTML or a piece of it and goes through it without recursion, however deep it is nested.
  /// Anything but elements and text (comments, instructions) is skipped.
  ///
  /// - Throws: `ImageError` with code `tooLarge` for more than ``maximumHTMLByteCount``.
  static func readHTML(_ text: String, taking step: (Step) -> Void) throws(ImageError) {
    var text = text
    guard text.utf8.count <= maximumHTMLByteCount else {
      throw ImageError(.tooLarge, "the HTML is larger than \(maximumHTMLByteCount >> 20) MiB")
    }
    initialise()
    let options =
      HTML_PARSE_RECOVER.rawValue | HTML_PARSE_NONET.rawValue | HTML_PARSE_NOERROR.rawValue
      | HTML_PARSE_NOWARNING.rawValue | HTML_PARSE_NODEFDTD.rawValue
    let document = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        htmlReadMemory($0.baseAddress, Int32($0.count), nil, "UTF-8", Int32(options))
      }
    }
    defer { xmlFreeDoc(document) }
    guard let document, let root = xmlDocGetRootElement(document) else { return }
    walk(root) { node in
      if isElement(node) {
        step(.opens(element(node) ?? MarkupElement(name: "")))
      } else if let text = content(node), !text.isEmpty {
        step(.text(text))
      }
    } leaving: { node in
      if isElement(node) { step(.closes) }
    }
  }

  // MARK: From nodes to values

  private typealias Node = UnsafeMutablePointer<xmlNode>

  private static func tree(_ root: Node) -> MarkupElement {
    var open: [MarkupElement] = [MarkupElement(name: "")]
    walk(root) { node in
      if isElement(node) {
        open.append(element(node) ?? MarkupElement(name: ""))
      } else if let text = content(node), !text.isEmpty {
        open[open.count - 1].children.append(.text(text))
      }
    } leaving: { node in
      guard isElement(node) else { return }
      let closed = open.removeLast()
      open[open.count - 1].children.append(.element(closed))
    }
    return open[0].elements.first ?? MarkupElement(name: "")
  }

  /// Visits a node and all below it without recursion, however deep they are.
  private static func walk(
    _ root: Node, entering: (Node) -> Void, leaving: (Node) -> Void
  ) {
    var node = root
    while true {
      entering(node)
      if isElement(node), let child = node.pointee.children {
        node = child
        continue
      }
      leaving(node)
      while node != root, node.pointee.next == nil, let parent = node.pointee.parent {
        node = parent
        leaving(node)
      }
      guard node != root, let next = node.pointee.next else { return }
      node = next
    }
  }

  private static func isElement(_ node: Node) -> Bool { node.pointee.type == XML_ELEMENT_NODE }

  private static func element(_ node: Node) -> MarkupElement? {
    guard let spelled = string(node.pointee.name) else { return nil }
    var element = MarkupElement(name: spelled)
    element.prefix = string(node.pointee.ns?.pointee.prefix)
    element.namespace = string(node.pointee.ns?.pointee.href)
    if element.prefix == nil, let colon = spelled.firstIndex(of: ":") {
      // The prefix was never declared; the parser left it in the name.
      element.prefix = String(spelled[..<colon])
      element.name = String(spelled[spelled.index(after: colon)...])
    }
    var attribute = node.pointee.properties
    while let current = attribute {
      if let name = string(current.pointee.name) {
        let prefix = string(current.pointee.ns?.pointee.prefix).map { $0 + ":" } ?? ""
        element.attributes[prefix + name] = current.withMemoryRebound(to: xmlNode.self, capacity: 1)
        {
          wholeContent($0)
        }
      }
      attribute = current.pointee.next
    }
    return element
  }

  private static func content(_ node: Node) -> String? {
    switch node.pointee.type {
    case XML_TEXT_NODE, XML_CDATA_SECTION_NODE:
      return string(node.pointee.content)
    case XML_ENTITY_REF_NODE:
      // An entity of HTML that XML does not know, such as &nbsp;.
      guard let entity = htmlEntityLookup(node.pointee.name),
        let scalar = Unicode.Scalar(entity.pointee.value)
      else { return nil }
      return String(Character(scalar))
    default:
      return nil
    }
  }

  private static func wholeContent(_ node: Node) -> String {
    guard let buffer = xmlBufferCreate() else { return "" }
    defer { xmlBufferFree(buffer) }
    xmlNodeBufGetContent(buffer, node)
    return string(xmlBufferContent(buffer)) ?? ""
  }

  private static func string(_ bytes: UnsafePointer<xmlChar>?) -> String? {
    bytes.map { String(cString: $0) }
  }

  // MARK: Safety

  private static let initialised: Void = xmlInitParser()

  private static func initialise() { _ = initialised }

  /// Whether the first 64 KiB hold `<!ENTITY`. Elsewhere, as in UTF-16 or further
  /// down, the parser ignores it.
  private static func declaresEntities(_ bytes: [UInt8]) -> Bool {
    let word = Array("<!ENTITY".utf8)
    let start = bytes.prefix(64 << 10)
    return start.indices.contains { start[$0] == word[0] && start[$0...].starts(with: word) }
  }
}
