/// Text as a search compares it.
enum FoldedText {
  /// Returns the text in UTF-8, folded: full-width forms of ASCII as ASCII, upper case as lower case,
  /// white space as single spaces. Scalars behind the maximum do not count.
  static func folded(_ text: String, maximumScalarCount: Int = 1000) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(text.utf8.count, 4 * maximumScalarCount))
    var endsInSpace = true
    for scalar in text.unicodeScalars.prefix(maximumScalarCount) {
      switch scalar.value {
      case 0x41...0x5A: bytes.append(UInt8(scalar.value) | 0x20)
      case 0x21...0x7E: bytes.append(UInt8(scalar.value))
      // Letters of East Asia, which have no case: properties take longer than all the rest.
      case 0x3001...0xA63F, 0xAC00...0xD7FF:
        if let encoded = UTF8.encode(scalar) { bytes.append(contentsOf: encoded) }
      default:
        let isFullWidth = (0xFF01...0xFF5E).contains(scalar.value)
        let narrow = isFullWidth ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
        if narrow.value <= 0x20 || narrow.properties.isWhitespace {
          if !endsInSpace { bytes.append(0x20) }
          endsInSpace = true
          continue
        }
        bytes += narrow.properties.lowercaseMapping.utf8
      }
      endsInSpace = false
    }
    return bytes
  }

  /// Returns the folded words of a search; empty for blank text.
  static func terms(of text: String) -> [[UInt8]] {
    folded(text).split(separator: 0x20).map(Array.init)
  }

  /// Whether a text has a part anywhere. The last bytes, up to eight, are compared at once.
  static func contains(_ part: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
    let count = min(part.count, 8)
    guard count > 0 else { return true }
    let start = part.prefix(count).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let mask = UInt64.max >> UInt64(64 - 8 * count)
    var last: UInt64 = 0
    for index in text.indices {
      last = last << 8 | UInt64(text[index])
      if last & mask == start, index >= count - 1,
        text[(index + 1)...].starts(with: part[count...])
      {
        return true
      }
    }
    return false
  }
}
