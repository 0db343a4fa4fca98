import HTTPTypes

extension HTTPField {
  /// The value byte for byte; ``value`` replaces what is not UTF-8.
  package var valueBytes: [UInt8] { withUnsafeBytesOfValue { Array($0) } }

  /// `Name: value`, byte for byte.
  var line: [UInt8] {
    Array(name.rawName.utf8) + [UInt8(ascii: ":"), UInt8(ascii: " ")] + valueBytes
  }
}
