import HTTPCaching
public import HTTPTypes

/// Header fields as one string, a line each (`name: value`), names in lower case.
///
/// Records store them like this; they are parsed only when needed. A value that is not UTF-8 is
/// written as a control character, which no value contains, and a letter of ISO 8859-1 for each
/// byte.
public struct HeaderText: Sendable, Hashable {
  /// The lines, each ended by `\n`.
  public let text: String

  init(text: String) { self.text = text }

  /// Writes the fields that may be stored (RFC 9111 §3.1): not those of the connection.
  public init(_ fields: HTTPFields) {
    let dropped = fields.namesOfConnection
    var text = ""
    text.reserveCapacity(512)
    for field in fields where !dropped.contains(field.name.canonicalName) {
      text += field.name.canonicalName
      text += ": "
      text += Self.text(of: field)
      text += "\n"
    }
    self.text = text
  }

  /// The fields in their order.
  public var fields: HTTPFields {
    var fields = HTTPFields()
    forEach { name, value in
      // No writer stores the others.
      if let name = HTTPField.Name(String(name)), !Self.ofConnection.contains(name.canonicalName) {
        if value.hasPrefix(Self.bytesMark) {
          let bytes = value.unicodeScalars.dropFirst().map { UInt8(truncatingIfNeeded: $0.value) }
          fields.append(HTTPField(name: name, value: bytes))
        } else {
          fields.append(HTTPField(name: name, value: String(value)))
        }
      }
    }
    return fields
  }

  private static let bytesMark = "\u{1}"
  private static let ofConnection = HTTPFields().namesOfConnection

  private static func text(of field: HTTPField) -> String {
    field.withUnsafeBytesOfValue { bytes in
      if let text = String(validating: bytes, as: UTF8.self) { return text }
      return bytesMark + String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
  }

  /// The first value of a field; `nil` when there is none.
  ///
  /// - Parameter name: In lower case.
  public func first(_ name: String) -> String? { values(name).first }

  /// The values of a field, named in lower case.
  func values(_ name: String) -> [String] {
    var found: [String] = []
    forEach { other, value in
      if other == name { found.append(String(value)) }
    }
    return found
  }

  /// Whether the response says `private` or `no-store`. Few have these words; only theirs are
  /// parsed.
  package var saysPrivate: Bool {
    (mentions("private") || mentions("no-store"))
      && !CacheProfile.proxy(storesSetCookie: true).mayStore(status: 200, fields, for: [:])
  }

  /// See ``StoredResponse/isForAll``.
  var isForAll: Bool { mentions("public") && CacheControl(values("cache-control")).isForAll }

  /// Whether a word in lower case occurs, compared without regard to case.
  private func mentions(_ word: StaticString) -> Bool {
    word.withUTF8Buffer { word in
      text.utf8.withContiguousStorageIfAvailable { bytes in
        guard bytes.count >= word.count else { return false }
        return (0...bytes.count - word.count).contains { start in
          word.indices.allSatisfy { bytes[start + $0] | 0x20 == word[$0] | 0x20 }
        }
      } ?? true
    }
  }

  /// On bytes: lines and colons are ASCII, and splitting by characters costs ten times as much.
  private func forEach(_ body: (Substring, Substring) -> Void) {
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
      let value = line[line.index(after: colon)...].drop { $0 == UInt8(ascii: " ") }
      body(Substring(line[..<colon]), Substring(value))
    }
  }
}
