/// The generation of a source: a random number that a purge replaces, so that what was stored or is
/// being made under another one does not count.
///
/// Random, not counted: a counter that was evicted would begin again, and values from before a purge
/// would count again.
public struct TierGeneration: Sendable, Hashable {
  /// The number; its last bit is ``isOfPurge``.
  public let number: UInt64

  /// Creates one; `nil` for 0.
  public init?(number: UInt64) {
    guard number > 0 else { return nil }
    self.number = number
  }

  /// A new one: that of a purge, or of a source of which nothing is known.
  public static func random(isOfPurge: Bool = false) -> TierGeneration {
    TierGeneration(bits: UInt64.random(in: 2 ... .max) & ~1 | (isOfPurge ? 1 : 0))
  }

  private init(bits: UInt64) { number = bits }

  /// Reads 16 hexadecimal digits; `nil` for anything else.
  public init?(_ text: String) {
    guard text.utf8.count == 16, text.first != "+", let number = UInt64(text, radix: 16) else {
      return nil
    }
    self.init(number: number)
  }

  /// Whether a purge has set it: then copies under any other one were purged. Otherwise those under
  /// another one are of a time of which the tier has lost the generations.
  public var isOfPurge: Bool { number & 1 == 1 }

  /// 16 hexadecimal digits.
  public var text: String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
