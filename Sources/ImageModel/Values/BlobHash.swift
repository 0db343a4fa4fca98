import TextEncodings

/// A SHA-256 digest, the name of a run of bytes.
public struct BlobHash: Sendable, Hashable, CustomStringConvertible {
  /// The digest as four big-endian words; a value without a heap allocation.
  package let words: (UInt64, UInt64, UInt64, UInt64)

  /// Takes the digest's 32 bytes; `nil` for any other count.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 32 else { return nil }
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }
    words = (word(0), word(1), word(2), word(3))
  }

  package init(words: [UInt64]) { self.words = (words[0], words[1], words[2], words[3]) }

  /// Reads 64 hexadecimal digits; `nil` for anything else.
  public init?(hex: some StringProtocol) {
    let digits = Array(hex.utf8)
    guard digits.count == 64 else { return nil }
    var all: [UInt64] = []
    for start in stride(from: 0, to: 64, by: 16) {
      var word: UInt64 = 0
      for digit in digits[start..<start + 16] {
        guard let value = Hex.value(of: digit) else { return nil }
        word = word << 4 | UInt64(value)
      }
      all.append(word)
    }
    words = (all[0], all[1], all[2], all[3])
  }

  /// The 32 bytes.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(
      of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian), body)
  }

  /// 64 lower-case hexadecimal digits.
  public var hex: String { withBytes(Hex.encoded) }

  /// The same as ``hex``.
  public var description: String { hex }

  /// Whether two digests are the same.
  public static func == (one: BlobHash, other: BlobHash) -> Bool { one.words == other.words }

  /// Feeds the first word: a digest is evenly spread already.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
