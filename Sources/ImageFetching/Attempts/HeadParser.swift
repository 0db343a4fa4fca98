import HTTPTypes
import ImageModel

/// Reads the head of a response that ``HeadCheck`` accepted: a status line, fields, an empty line.
enum HeadParser {
  /// The fields in order, their values byte for byte. Folded lines are joined by a space, and white
  /// space before a colon is removed (RFC 9112 §5.1, §5.2). Of `Content-Length`, equal members are
  /// one number, and none is left beside `Transfer-Encoding`, which overrides it (§6.3).
  static func fields(of head: [UInt8]) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(16)
    var start = (head.firstIndex(of: UInt8(ascii: "\n")) ?? head.count) + 1
    while start < head.count {
      var end = head[start...].firstIndex(of: UInt8(ascii: "\n")) ?? head.count
      let line = head[start..<end]
      start = end + 1
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")),
        let name = name(of: HTTPText.withoutBlanks(line[..<colon]))
      else { continue }
      var value = Array(trimmed(line[(colon + 1)...]))
      while start < head.count, HTTPText.isBlank(head[start]) {
        end = head[start...].firstIndex(of: UInt8(ascii: "\n")) ?? head.count
        let more = trimmed(head[start..<end])
        start = end + 1
        if !value.isEmpty, !more.isEmpty { value.append(UInt8(ascii: " ")) }
        value += more
      }
      append(HTTPField(name: name, value: value), to: &fields)
    }
    if fields[.transferEncoding] != nil { fields[.contentLength] = nil }
    return fields
  }

  private static func append(_ field: HTTPField, to fields: inout HTTPFields) {
    guard field.name == .contentLength else { return fields.append(field) }
    guard fields[.contentLength] == nil,
      let length = HTTPText.number(field.value.prefix { $0 != "," }.trimmingBlanks)
    else { return }
    fields.append(HTTPField(name: .contentLength, value: String(length)))
  }

  /// The statuses and fields of interim heads, one behind the other.
  static func interim(_ heads: [UInt8]) -> [(status: Int, fields: HTTPFields)] {
    var found: [(status: Int, fields: HTTPFields)] = []
    var head: [UInt8] = []
    for line in heads.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      guard line.contains(where: { $0 != 13 }) else {
        let words = head.prefix { $0 != UInt8(ascii: "\n") }.split(separator: UInt8(ascii: " "))
        if words.count > 1, let status = Int(String(decoding: words[1], as: UTF8.self)) {
          found.append((status, fields(of: head)))
        }
        head = []
        continue
      }
      head += line + [UInt8(ascii: "\n")]
    }
    return found
  }

  /// Names that most answers carry, made once: making one costs more than finding it.
  private static let known: [String: HTTPField.Name] = {
    let names: [HTTPField.Name] = [
      .acceptRanges, .age, .cacheControl, .connection, .contentEncoding, .contentLength,
      .contentRange, .contentType, .date, .eTag, .expires, .lastModified, .location, .retryAfter,
      .server, .transferEncoding, .vary,
    ]
    return Dictionary(
      names.flatMap { [($0.rawName, $0), ($0.canonicalName, $0)] },
      uniquingKeysWith: { one, _ in one })
  }()

  private static func name(of bytes: ArraySlice<UInt8>) -> HTTPField.Name? {
    let text = String(decoding: bytes, as: UTF8.self)
    return known[text] ?? HTTPField.Name(text)
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
    let start = bytes.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return [] }
    return start[...last]
  }
}
