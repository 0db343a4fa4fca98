import HTTPTypes

/// Reads the head of an answer as libcurl hands it over: a status line, fields, an empty line.
enum HeadParser {
  /// The fields in order; lines that are no field are left out.
  static func fields(of head: [UInt8]) -> HTTPFields {
    var fields = HTTPFields()
    fields.reserveCapacity(16)
    for line in head.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let name = String(decoding: line[..<colon], as: UTF8.self)
      let value = trimmed(line[(colon + 1)...])
      guard let name = HTTPField.Name(name) else { continue }
      fields.append(HTTPField(name: name, value: String(decoding: value, as: UTF8.self)))
    }
    return fields
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 }
    let start = bytes.drop(while: isSpace)
    guard let last = start.lastIndex(where: { !isSpace($0) }) else { return [] }
    return start[...last]
  }
}
