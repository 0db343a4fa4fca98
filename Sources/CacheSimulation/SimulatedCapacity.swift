/// The capacity of a simulated cache: `64MiB`, `1000obj`, or a share of the trace, `1%` of its
/// bytes or `1%obj` of its objects.
public struct SimulatedCapacity: Sendable, Hashable, CustomStringConvertible {
  /// A number of bytes or objects, or a share of those of the trace.
  public enum Amount: Sendable, Hashable {
    case fixed(Int)
    case share(Double)
  }

  /// The capacity as it was written.
  public let description: String
  /// The amount that it means.
  public let amount: Amount
  /// Whether objects are counted rather than their bytes.
  public let countsObjects: Bool

  /// Parses a capacity; `nil` for any other text. `bytes` parses a number such as `64MiB`.
  public init?(_ text: String, bytes: (String) -> Int?) {
    description = text
    countsObjects = text.hasSuffix("obj")
    let number = text.dropLast(countsObjects ? 3 : 0)
    if number.last == "%" {
      guard let percent = Double(number.dropLast()), (0...10_000).contains(percent) else {
        return nil
      }
      amount = .share(percent / 100)
    } else {
      guard let count = countsObjects ? Int(number) : bytes(text), count >= 0 else { return nil }
      amount = .fixed(count)
    }
  }

  /// Returns the capacity for a trace, in bytes or objects, rounded down.
  public func value(for facts: TraceFacts) -> Int {
    switch amount {
    case .fixed(let count): count
    case .share(let share):
      Self.scaled(countsObjects ? facts.objectCount : facts.footprint, by: share)
    }
  }

  static func scaled(_ count: Int, by share: Double) -> Int {
    let product = Double(count) * share
    let nearest = product.rounded()
    // Rounding down must not make 0 of 0.1 % of 1000, whose product may be just below 1.
    let value = abs(product - nearest) <= 4 * product.ulp ? nearest : product.rounded(.down)
    return value < 9e18 ? Int(value) : .max
  }
}
