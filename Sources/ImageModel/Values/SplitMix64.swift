/// A generator of random numbers that repeat with their seed, on every machine.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
@usableFromInline
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  @usableFromInline package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Self.mixed(state)
  }

  /// Spreads a number evenly over 64 bits; no two numbers become the same. (Stafford's variant 13
  /// of the finishing steps of MurmurHash3.)
  @inlinable package static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = (number ^ (number &>> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed &>> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed &>> 31)
  }
}
