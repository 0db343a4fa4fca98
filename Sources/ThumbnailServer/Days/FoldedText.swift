enum FoldedText {
  /// Scalars of a text that count; longer titles are searched up to there.
  static let maximumScalarCount = 1000

  /// Returns the text in UTF-8, folded: full-width forms of ASCII as ASCII, upper case as lower case.
  static func folded(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    var endsInSpace = true
    for scalar in text.unicodeScalars.prefix(maximumScalarCount) {
      let isFullWidth = (0xFF01...0xFF5E).contains(scalar.value)
      let narrow = isFullWidth ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
      if narrow.properties.isWhitespace || narrow.value < 0x20 {
        if !endsInSpace { bytes.append(0x20) }
        endsInSpace = true
      } else {
        bytes += narrow.properties.lowercaseMapping.utf8
        endsInSpace = false
      }
    }
    return bytes
  }

  /// Returns the folded words of a search; empty for blank text.
  static func terms(of text: String) -> [[UInt8]] {
    folded(text).split(separator: 0x20).map(Array.init)
  }

  /// O(*n* · *m*) in the lengths, both at most a few kilobytes.
  static func contains(_ part: [UInt8], in text: [UInt8]) -> Bool {
    guard let first = part.first, text.count >= part.count else { return part.isEmpty }
    return text.withUnsafeBufferPointer { text in
      part.withUnsafeBufferPointer { part in
        (0...text.count - part.count).contains { start in
          text[start] == first && (1..<part.count).allSatisfy { text[start + $0] == part[$0] }
        }
      }
    }
  }
}
