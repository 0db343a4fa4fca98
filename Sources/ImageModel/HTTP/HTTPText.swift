package import HTTPTypes

/// The parts that values of HTTP fields are made of.
@usableFromInline
package enum HTTPText {
  @inlinable package static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

  @inlinable package static func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
  }

  @inlinable package static func isAlphanumeric(_ byte: UInt8, or others: String) -> Bool {
    isAlphanumeric(byte) || others.utf8.contains(byte)
  }

  /// Whether a byte may be part of a token (RFC 9110 §5.6.2).
  @inlinable package static func isOfToken(_ byte: UInt8) -> Bool {
    isAlphanumeric(byte, or: "!#$%&'*+-.^_`|~")
  }

  /// Returns bytes without spaces and tabs at both ends.
  @inlinable package static func withoutBlanks<Bytes: BidirectionalCollection<UInt8>>(
    _ bytes: Bytes
  ) -> Bytes where Bytes.SubSequence == Bytes {
    var rest = bytes.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return rest
  }

  /// Returns a number of digits alone; `nil` for anything else, and for one too large for an `Int`.
  @inlinable package static func number(_ digits: some StringProtocol) -> Int? {
    digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
  }

  /// The same, with the largest `Int` for a number that is too large.
  package static func clampedNumber(_ digits: some StringProtocol) -> Int? {
    let isNumber = !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber ? Int(digits) ?? .max : nil
  }
}

extension StringProtocol {
  /// The text without spaces and tabs at both ends.
  @inlinable package var trimmingBlanks: String {
    String(decoding: HTTPText.withoutBlanks(Array(utf8)[...]), as: UTF8.self)
  }
}

extension HTTPField {
  /// The bytes of the value; ``value`` replaces those that are not UTF-8.
  package var valueBytes: [UInt8] { withUnsafeBytesOfValue { Array($0) } }

  /// The bytes of `Name: value`.
  package var line: [UInt8] {
    Array(name.rawName.utf8) + [UInt8(ascii: ":"), UInt8(ascii: " ")] + valueBytes
  }
}

extension HTTPFields {
  package func valueBytes(_ name: HTTPField.Name) -> [[UInt8]] {
    self[fields: name].map(\.valueBytes)
  }

  package mutating func replace(with field: HTTPField) { self[fields: field.name] = [field] }
}
