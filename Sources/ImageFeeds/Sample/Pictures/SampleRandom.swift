/// Numbers that look random and are the same for the same name, on every machine.
///
/// Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", 2014 (SplitMix64).
struct SampleRandom: RandomNumberGenerator {
  private var state: UInt64

  /// What the name was made into.
  var seed: UInt64 { state }

  /// Seeds by name, with FNV-1a.
  init(_ name: String) {
    state = name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from a range.
  mutating func value(_ range: ClosedRange<Float>) -> Float {
    range.lowerBound + (range.upperBound - range.lowerBound) * Float(next() >> 40) / Float(1 << 24)
  }

  /// A whole number below a bound.
  mutating func index(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
