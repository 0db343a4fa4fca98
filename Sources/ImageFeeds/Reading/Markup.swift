import ImageModel

internal import CMarkup
import TextEncodings

/// The only caller of libxml2: turns XML and HTML into ``MarkupElement`` values.
///
/// The parser never accesses the network or other files, supports no entities but the predefined
/// ones, and has separate limits on depth (256) and on single texts (10 MB).
enum Markup {
  static let maximumXMLByteCount = 64 << 20
  static let maximumHTMLByteCount = 16 << 20

  struct XML {
    var root: MarkupElement
    /// The place or kind of the first error; `nil` if it is well-formed. What could be read after it
    /// is a part of the tree.
    var fault: String?
  }

  static func xml(_ bytes: [UInt8]) throws(ImageError) -> XML {
    try checkSize(bytes)
    return try xml(DocumentText(bytes))
  }

  static func xml(_ text: DocumentText) throws(ImageError) -> XML {
    let library = try library()
    func parse(_ bytes: [UInt8]) throws(ImageError) -> imgc_xml_reading {
      try checkSize(bytes)
      try MarkupBounds.checkXML(bytes)
      let reading = bytes.withUnsafeBytes { room in
        imgc_xml_read(
          room.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(room.count), 0,
          Int32(options | IMGC_XML_MERGE_CDATA))
      }
      guard reading.is_cut == 0 else {
        library.xmlFreeDoc(reading.document)
        throw ImageError(
          .notAFeed, "the XML takes too long to read: too many namespaces or different names")
      }
      return reading
    }
    var reading = try parse(text.bytes)
    var fault: String?
    if reading.error_line > 0 {
      fault = "the XML is damaged at line \(reading.error_line)"
      library.xmlFreeDoc(reading.document)
      let repaired = MarkupRepair.repaired(text.bytes) {
        library.htmlEntityLookup($0)?.pointee.value
      }
      if repaired.isCut { fault = "the XML ends within an item, which is left out" }
      reading = try parse(repaired.bytes)
    }
    defer { library.xmlFreeDoc(reading.document) }
    guard let document = reading.document, let root = library.xmlDocGetRootElement(document) else {
      throw ImageError(
        .notAFeed, "the response is \(BytesDescription.ofText(text.bytes)), not a feed")
    }
    return XML(root: tree(root, library), fault: fault)
  }

  private static func checkSize(_ bytes: [UInt8]) throws(ImageError) {
    guard bytes.count <= maximumXMLByteCount else {
      throw ImageError(.tooLarge, "the XML is larger than \(maximumXMLByteCount >> 20) MiB")
    }
  }

  enum Step {
    /// An element begins; its children are not in it.
    case opens(MarkupElement)
    case text(String)
    /// The element that was opened last, and is not closed yet, ends.
    case closes
  }

  /// Parses HTML or a piece of it and goes through it without recursion, however deep it is nested.
  /// Anything but elements and text (comments, instructions) is skipped. What takes the parser too
  /// long, for its number of different names, ends there.
  static func readHTML(_ text: String, taking step: (Step) -> Void) throws(ImageError) {
    guard text.utf8.count <= maximumHTMLByteCount else {
      throw ImageError(.tooLarge, "the HTML is larger than \(maximumHTMLByteCount >> 20) MiB")
    }
    var text = MarkupBounds.bounded(text)
    // The parser would end there.
    if text.utf8.contains(0) { text.unicodeScalars.removeAll { $0 == "\0" } }
    let library = try library()
    let document = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        imgc_xml_read(
          $0.baseAddress, Int32($0.count), 1, Int32(options | IMGC_XML_NO_DEFAULT_DOCTYPE))
      }
    }.document
    defer { library.xmlFreeDoc(document) }
    guard let document, let root = library.xmlDocGetRootElement(document) else { return }
    visit(root, library, step)
  }

  static func plainText(ofHTML html: String) -> String? {
    var plain = ""
    let read: Void? = try? readHTML(html) { if case .text(let text) = $0 { plain += text } }
    return read.map { plain.trimmingWhiteSpace() }
  }

  private typealias Node = UnsafeMutablePointer<imgc_xml_node>

  private static func tree(_ root: Node, _ library: imgc_xml_library) -> MarkupElement {
    var open: [MarkupElement] = [MarkupElement(name: "")]
    visit(root, library) { step in
      switch step {
      case .opens(let element): open.append(element)
      case .text(let text): open[open.count - 1].children.append(.text(text))
      case .closes:
        let closed = open.removeLast()
        open[open.count - 1].children.append(.element(closed))
      }
    }
    return open[0].elements.first ?? MarkupElement(name: "")
  }

  /// Visits a node and all below it without recursion, however deep they are.
  private static func visit(
    _ root: Node, _ library: imgc_xml_library, _ step: (Step) -> Void
  ) {
    var node = root
    while true {
      if isElement(node) {
        step(.opens(element(node, library)))
        if let child = node.pointee.children {
          node = child
          continue
        }
        step(.closes)
      } else if let text = content(node, library), !text.isEmpty {
        step(.text(text))
      }
      while node != root, node.pointee.next == nil, let parent = node.pointee.parent {
        node = parent
        step(.closes)
      }
      guard node != root, let next = node.pointee.next else { return }
      node = next
    }
  }

  private static func isElement(_ node: Node) -> Bool {
    Int(node.pointee.type) == IMGC_XML_ELEMENT
  }

  private static func element(_ node: Node, _ library: imgc_xml_library) -> MarkupElement {
    let qualifiedName = string(node.pointee.name) ?? ""
    var element = MarkupElement(name: qualifiedName)
    element.prefix = string(node.pointee.ns?.pointee.prefix)
    element.namespace = string(node.pointee.ns?.pointee.href)
    if element.prefix == nil, let colon = qualifiedName.firstIndex(of: ":") {
      // The prefix was never declared; the parser left it in the name.
      element.prefix = String(qualifiedName[..<colon])
      element.name = String(qualifiedName[qualifiedName.index(after: colon)...])
    }
    var attribute = node.pointee.attributes
    while let current = attribute {
      if let name = string(current.pointee.name) {
        let prefix = string(current.pointee.ns?.pointee.prefix).map { $0 + ":" } ?? ""
        let value = library.xmlNodeGetContent(current)
        element.attributes[prefix + name] = string(value) ?? ""
        library.release(value)
      }
      attribute = current.pointee.next
    }
    return element
  }

  private static func content(_ node: Node, _ library: imgc_xml_library) -> String? {
    switch Int(node.pointee.type) {
    case IMGC_XML_TEXT, IMGC_XML_CDATA: return string(node.pointee.content)
    case IMGC_XML_ENTITY_REFERENCE:
      // An entity of HTML that XML does not know, such as &nbsp;.
      guard let entity = library.htmlEntityLookup(node.pointee.name),
        let scalar = Unicode.Scalar(entity.pointee.value)
      else { return nil }
      return String(Character(scalar))
    default: return nil
    }
  }

  private static func string(_ bytes: UnsafePointer<UInt8>?) -> String? {
    bytes.map { String(cString: $0) }
  }

  /// No network; what can be read after an error is read, and as UTF-8 whatever it declares.
  private static let options = IMGC_XML_NO_NETWORK | IMGC_XML_RECOVER | IMGC_XML_IGNORE_ENCODING

  private static func library() throws(ImageError) -> imgc_xml_library {
    guard let library = imgc_xml_load() else {
      throw ImageError(
        .libraryMissing,
        "libxml2, which reads feeds and stories, cannot be loaded; install libxml2 (Debian, Ubuntu, Homebrew)"
      )
    }
    return library.pointee
  }
}

extension TextEncoding {
  /// The text in UTF-8, converted by the C library, with the number of bytes that it could not
  /// convert; `nil` where it does not have the encoding. A character has at most `width` bytes.
  func converted(_ bytes: ArraySlice<UInt8>, width: Int) -> (bytes: [UInt8], faultCount: Int)? {
    let text = bytes.withUnsafeBufferPointer {
      imgc_text_read(name, Int32(width), $0.baseAddress, $0.count)
    }
    guard let start = text.bytes else { return nil }
    defer { imgc_text_free(text) }
    return (Array(UnsafeBufferPointer(start: start, count: text.count)), text.fault_count)
  }
}
