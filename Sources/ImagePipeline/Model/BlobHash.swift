/// A SHA-256 digest, the name of a run of bytes.
public struct BlobHash: Sendable, Hashable, CustomStringConvertible {
  /// The digest as four big-endian words; a value without a heap allocation.
  let words: (UInt64, UInt64, UInt64, UInt64)

  /// Takes the digest's 32 bytes; `nil` for any other count.
  public init?(bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 32 else { return nil }
    func word(_ index: Int) -> UInt64 {
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8 * index, as: UInt64.self))
    }
    words = (word(0), word(1), word(2), word(3))
  }

  /// Reads 64 hexadecimal digits; `nil` for anything else.
  public init?(hex: some StringProtocol) {
    let digits = Array(hex.utf8)
    guard digits.count == 64 else { return nil }
    var all: [UInt64] = []
    for start in stride(from: 0, to: 64, by: 16) {
      var word: UInt64 = 0
      for digit in digits[start..<start + 16] {
        switch digit {
        case 0x30...0x39: word = word << 4 | UInt64(digit - 0x30)
        case 0x61...0x66: word = word << 4 | UInt64(digit - 0x61 + 10)
        case 0x41...0x46: word = word << 4 | UInt64(digit - 0x41 + 10)
        default: return nil
        }
      }
      all.append(word)
    }
    words = (all[0], all[1], all[2], all[3])
  }

  /// The 32 bytes.
  public var bytes: [UInt8] { withBytes { Array($0) } }

  /// Lends the 32 bytes.
  func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(
      of: (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian), body)
  }

  /// 64 lower-case hexadecimal digits.
  public var hex: String {
    String(unsafeUninitializedCapacity: 64) { room in
      var index = 0
      func put(_ word: UInt64) {
        for shift in stride(from: 60, through: 0, by: -4) {
          let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 0xF
          room[index] = digit < 10 ? 0x30 + digit : 0x61 + digit - 10
          index += 1
        }
      }
      put(words.0)
      put(words.1)
      put(words.2)
      put(words.3)
      return 64
    }
  }

  /// The same as ``hex``.
  public var description: String { hex }

  /// Whether two digests are the same.
  public static func == (one: BlobHash, other: BlobHash) -> Bool { one.words == other.words }

  /// Feeds the first word: a digest is evenly spread already.
  public func hash(into hasher: inout Hasher) { hasher.combine(words.0) }
}
