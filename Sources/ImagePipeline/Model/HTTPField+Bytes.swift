import HTTPTypes

extension HTTPField {
  /// The value byte for byte; ``value`` replaces what is not UTF-8.
  package var valueBytes: [UInt8] { withUnsafeBytesOfValue { Array($0) } }

  /// `Name: value`, byte for byte.
  var line: [UInt8] {
    Array(name.rawName.utf8) + [UInt8(ascii: ":"), UInt8(ascii: " ")] + valueBytes
  }
}

extension HTTPFields {
  /// The values of a field, byte for byte.
  func valueBytes(_ name: HTTPField.Name) -> [[UInt8]] { self[fields: name].map(\.valueBytes) }

  /// Replaces all fields of the same name.
  package mutating func replace(with field: HTTPField) { self[fields: field.name] = [field] }
}
