/// The capacity of a simulated cache: `64MiB`, `1000obj`, or a share of the trace, `1%` of its
/// bytes or `1%obj` of its objects.
public struct SimulatedCapacity: Sendable, Hashable, CustomStringConvertible {
  /// An amount of bytes or objects.
  public enum Amount: Sendable, Hashable {
    case bytes(Int)
    case objects(Int)
    case shareOfBytes(Double)
    case shareOfObjects(Double)
  }

  /// The capacity as it was written.
  public let description: String
  /// The amount that it means.
  public let amount: Amount

  /// Whether objects are counted rather than their bytes.
  public var countsObjects: Bool {
    switch amount {
    case .objects, .shareOfObjects: true
    case .bytes, .shareOfBytes: false
    }
  }

  /// Parses a capacity; `nil` for any other text.
  ///
  /// - Parameter bytes: Parses a number of bytes such as `64MiB`.
  public init?(_ text: String, bytes: (String) -> Int?) {
    description = text
    if text.hasSuffix("%obj") {
      guard let share = Self.share(text.dropLast(4)) else { return nil }
      amount = .shareOfObjects(share)
    } else if text.hasSuffix("%") {
      guard let share = Self.share(text.dropLast()) else { return nil }
      amount = .shareOfBytes(share)
    } else if text.hasSuffix("obj") {
      guard let count = Int(text.dropLast(3)), count >= 0 else { return nil }
      amount = .objects(count)
    } else {
      guard let count = bytes(text) else { return nil }
      amount = .bytes(count)
    }
  }

  private static func share(_ text: Substring) -> Double? {
    guard let percent = Double(text), percent >= 0, percent <= 10_000 else { return nil }
    return percent / 100
  }

  /// Returns the capacity for a trace, in bytes or objects, rounded down.
  public func value(for facts: TraceFacts) -> Int {
    switch amount {
    case .bytes(let count), .objects(let count): count
    case .shareOfBytes(let share): Self.scaled(facts.footprint, by: share)
    case .shareOfObjects(let share): Self.scaled(facts.objectCount, by: share)
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
