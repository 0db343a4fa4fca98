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

  struct Failure: Error {
    let line: Int
    let problem: String
  }

  /// Counted from 1.
  let line: Int
  let content: Content

  var scalar: String? { if case .scalar(let text) = content { text } else { nil } }

  fileprivate var extent: (count: Int, levels: Int) {
    let inner: [YAMLNode] =
      switch content {
      case .null, .scalar: []
      case .sequence(let items): items
      case .mapping(let members): members.flatMap { [$0.key, $0.value] }
      }
    return inner.map(\.extent).reduce((1, 1)) { ($0.0 + $1.count, max($0.1, 1 + $1.levels)) }
  }

  /// Reads the one document of a text; `nil` for an empty one.
  static func document(in text: String) throws -> YAMLNode? {
    var text = text
    return try text.withUTF8 { bytes in
      // The library takes time in the square of their number.
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      if lines.count(where: { $0.first == UInt8(ascii: "%") }) > YAMLReader.maximumDepth {
        throw Failure(line: 1, problem: "more than \(YAMLReader.maximumDepth) directives")
      }
      var parser = yaml_parser_t()
      guard yaml_parser_initialize(&parser) == 1 else {
        throw Failure(line: 1, problem: "no memory")
      }
      defer { yaml_parser_delete(&parser) }
      yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
      yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
      var reader = YAMLReader()
      let first = try reader.next(&parser)
      if first != nil, let other = try reader.next(&parser) {
        throw Failure(line: other.line, problem: "found another document")
      }
      return first
    }
  }
}

private struct YAMLReader {
  /// The number of values that a document may have; one that an alias repeats counts each time.
  private static let maximumCount = 65_536
  /// The number of values around a value, and of anchors.
  static let maximumDepth = 100

  private var count = 0
  private var depth = 0
  private var anchors: [String: YAMLNode?] = [:]

  /// Reads the next value; `nil` at the end of the list, mapping or text around it.
  mutating func next(_ parser: inout yaml_parser_t) throws -> YAMLNode? {
    var event = yaml_event_t()
    guard yaml_parser_parse(&parser, &event) == 1 else {
      throw YAMLNode.Failure(
        line: Int(parser.problem_mark.line) + 1,
        problem: parser.problem.map { String(cString: $0) } ?? "malformed")
    }
    defer { yaml_event_delete(&event) }
    let line = Int(event.start_mark.line) + 1
    let data = event.data
    switch event.type {
    case YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT, YAML_DOCUMENT_END_EVENT:
      return try next(&parser)
    case YAML_ALIAS_EVENT:
      guard let known = anchors[String(cString: data.alias.anchor)] else {
        throw YAMLNode.Failure(line: line, problem: "found undefined alias")
      }
      guard let node = known else {
        throw YAMLNode.Failure(line: line, problem: "a value contains itself")
      }
      let extent = node.extent
      try add(extent.count, levels: extent.levels, line)
      return node
    case YAML_SCALAR_EVENT:
      let text = String(
        decoding: UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length),
        as: UTF8.self)
      let isNull =
        data.scalar.style == YAML_PLAIN_SCALAR_STYLE
        && ["", "~", "null", "Null", "NULL"].contains(text)
      return try node(line, data.scalar.anchor) { _ in isNull ? .null : .scalar(text) }
    case YAML_SEQUENCE_START_EVENT:
      return try node(line, data.sequence_start.anchor) { reader in
        var items: [YAMLNode] = []
        while let item = try reader.next(&parser) { items.append(item) }
        return .sequence(items)
      }
    case YAML_MAPPING_START_EVENT:
      return try node(line, data.mapping_start.anchor) { reader in
        var members: [(YAMLNode, YAMLNode)] = []
        while let key = try reader.next(&parser), let value = try reader.next(&parser) {
          members.append((key, value))
        }
        return .mapping(members)
      }
    default: return nil
    }
  }

  private mutating func add(_ values: Int, levels: Int, _ line: Int) throws {
    count += values
    if depth + levels > Self.maximumDepth {
      throw YAMLNode.Failure(line: line, problem: "more than \(Self.maximumDepth) levels")
    }
    if count > Self.maximumCount {
      throw YAMLNode.Failure(line: line, problem: "more than \(Self.maximumCount) values")
    }
  }

  private mutating func node(
    _ line: Int, _ anchor: UnsafeMutablePointer<yaml_char_t>?,
    _ content: (inout YAMLReader) throws -> YAMLNode.Content
  ) throws -> YAMLNode {
    try add(1, levels: 1, line)
    let name = anchor.map { String(cString: $0) }
    if let name {
      guard anchors.updateValue(nil, forKey: name) == nil else {
        throw YAMLNode.Failure(line: line, problem: "found duplicate anchor")
      }
      if anchors.count > Self.maximumDepth {
        throw YAMLNode.Failure(line: line, problem: "more than \(Self.maximumDepth) anchors")
      }
    }
    depth += 1
    defer { depth -= 1 }
    let node = YAMLNode(line: line, content: try content(&self))
    if let name { anchors[name] = .some(node) }
    return node
  }
}
