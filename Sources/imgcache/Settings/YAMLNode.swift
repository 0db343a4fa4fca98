import CYAML

/// A value of a YAML document, and so of a JSON text, and where it begins.
struct YAMLNode {
  enum Content {
    /// Nothing, or a plain `null` or `~`.
    case null
    case scalar(String)
    case sequence([YAMLNode])
    case mapping([(key: YAMLNode, value: YAMLNode)])
  }

  /// Why a text is not a document.
  struct Failure: Error {
    let line: Int
    let problem: String
  }

  /// The number of values that a document may have; one that an alias repeats counts each time.
  private static let maximumCount = 65_536
  /// The number of values around a value: one that contains itself by an alias has no end.
  private static let maximumDepth = 100

  /// Counted from 1.
  let line: Int
  let content: Content

  var scalar: String? { if case .scalar(let text) = content { text } else { nil } }

  /// Reads the one document of a text; `nil` for an empty one.
  static func document(in text: String) throws -> YAMLNode? {
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else {
      throw Failure(line: 1, problem: "no memory")
    }
    defer { yaml_parser_delete(&parser) }
    var text = text
    return try text.withUTF8 { bytes in
      try checkBounds(bytes)
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      let first = try next(&parser) { document, root in
        var reader = Reader(document: document)
        return try reader.node(root)
      }
      guard first != nil else { return nil }
      try next(&parser) { _, root in
        throw Failure(line: line(of: root), problem: "found another document")
      }
      return first
    }
  }

  /// Checks what the library takes quadratic time for, by the events that the document is loaded
  /// from: levels, anchors and directives.
  private static func checkBounds(_ text: UnsafeBufferPointer<UInt8>) throws {
    let lines = text.split(separator: 0x0A)
    if lines.count(where: { $0.first == UInt8(ascii: "%") }) > maximumDepth {
      throw Failure(line: 1, problem: "more than \(maximumDepth) directives")
    }
    var parser = yaml_parser_t()
    guard yaml_parser_initialize(&parser) == 1 else {
      throw Failure(line: 1, problem: "no memory")
    }
    defer { yaml_parser_delete(&parser) }
    yaml_parser_set_input_string(&parser, text.baseAddress, text.count)
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    var (depth, count, anchorCount) = (0, 0, 0)
    while true {
      var event = yaml_event_t()
      // What is malformed fails again when it is loaded, which says why.
      guard yaml_parser_parse(&parser, &event) == 1 else { return }
      defer { yaml_event_delete(&event) }
      var anchor: UnsafeMutablePointer<yaml_char_t>?
      switch event.type {
      case YAML_NO_EVENT, YAML_STREAM_END_EVENT: return
      case YAML_SEQUENCE_START_EVENT:
        anchor = event.data.sequence_start.anchor
        depth += 1
      case YAML_MAPPING_START_EVENT:
        anchor = event.data.mapping_start.anchor
        depth += 1
      case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: depth -= 1
      case YAML_SCALAR_EVENT: anchor = event.data.scalar.anchor
      default: break
      }
      count += 1
      if anchor != nil { anchorCount += 1 }
      let line = Int(event.start_mark.line) + 1
      if depth > maximumDepth {
        throw Failure(line: line, problem: "more than \(maximumDepth) levels")
      }
      if anchorCount > maximumDepth {
        throw Failure(line: line, problem: "more than \(maximumDepth) anchors")
      }
      if count > 2 * maximumCount {
        throw Failure(line: line, problem: "more than \(maximumCount) values")
      }
    }
  }

  /// Loads the next document; `nil` when there is none.
  @discardableResult
  private static func next(
    _ parser: inout yaml_parser_t,
    _ body: (UnsafeMutablePointer<yaml_document_t>, UnsafePointer<yaml_node_t>) throws -> YAMLNode
  ) throws -> YAMLNode? {
    var document = yaml_document_t()
    guard yaml_parser_load(&parser, &document) == 1 else {
      throw Failure(
        line: Int(parser.problem_mark.line) + 1,
        problem: parser.problem.map { String(cString: $0) } ?? "malformed")
    }
    defer { yaml_document_delete(&document) }
    guard let root = yaml_document_get_root_node(&document) else { return nil }
    return try body(&document, root)
  }

  private static func line(of node: UnsafePointer<yaml_node_t>) -> Int {
    Int(node.pointee.start_mark.line) + 1
  }

  /// Copies the nodes of a document.
  private struct Reader {
    let document: UnsafeMutablePointer<yaml_document_t>
    private var count = 0
    private var depth = 0

    init(document: UnsafeMutablePointer<yaml_document_t>) { self.document = document }

    mutating func node(_ node: UnsafePointer<yaml_node_t>) throws -> YAMLNode {
      count += 1
      depth += 1
      defer { depth -= 1 }
      if count > maximumCount {
        throw Failure(line: line(of: node), problem: "more than \(maximumCount) values")
      }
      if depth > maximumDepth {
        throw Failure(
          line: line(of: node),
          problem: "more than \(maximumDepth) levels, or a value that contains itself")
      }
      return YAMLNode(line: line(of: node), content: try content(node.pointee))
    }

    private mutating func node(_ index: Int32) throws -> YAMLNode {
      guard let found = yaml_document_get_node(document, index) else {
        throw Failure(line: 1, problem: "malformed")
      }
      return try node(found)
    }

    private mutating func content(_ node: yaml_node_t) throws -> Content {
      switch node.type {
      case YAML_SCALAR_NODE:
        let scalar = node.data.scalar
        let text = String(
          decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
        let isPlain = scalar.style == YAML_PLAIN_SCALAR_STYLE
        return isPlain && ["", "~", "null", "Null", "NULL"].contains(text) ? .null : .scalar(text)
      case YAML_SEQUENCE_NODE:
        let items = node.data.sequence.items
        return .sequence(
          try UnsafeBufferPointer(start: items.start, count: items.top - items.start)
            .map { try self.node($0) })
      case YAML_MAPPING_NODE:
        let pairs = node.data.mapping.pairs
        return .mapping(
          try UnsafeBufferPointer(start: pairs.start, count: pairs.top - pairs.start)
            .map { (try self.node($0.key), try self.node($0.value)) })
      default: return .null
      }
    }
  }
}
