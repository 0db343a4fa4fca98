import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SplitMix64 {
  /// Returns a uniform number, at least 0 and less than 1.
  mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  mutating func happens(_ probability: Double) -> Bool { unit() < probability }

  mutating func integer(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + min(range.count - 1, Int(unit() * Double(range.count)))
  }

  mutating func exponential(mean: Double) -> Double { -mean * log(1 - unit()) }

  /// Returns a normal number of mean 0 and deviation 1: Box and Muller, 1958.
  mutating func normal() -> Double {
    (-2 * log(1 - unit())).squareRoot() * cos(2 * Double.pi * unit())
  }

  /// Returns a gamma number of a shape of at least 1 and a scale: Marsaglia and Tsang, "A Simple
  /// Method for Generating Gamma Variables", 2000.
  mutating func gamma(shape: Double, scale: Double) -> Double {
    let d = shape - 1 / 3.0
    let c = 1 / (9 * d).squareRoot()
    while true {
      let x = normal()
      let root = 1 + c * x
      if root <= 0 { continue }
      let v = root * root * root
      if log(1 - unit()) < 0.5 * x * x + d - d * v + d * log(v) { return d * v * scale }
    }
  }

  /// Returns a Poisson number with this mean: Knuth.
  mutating func poisson(mean: Double) -> Int {
    let limit = exp(-mean)
    var count = 0
    var product = unit()
    while product > limit {
      count += 1
      product *= unit()
    }
    return count
  }

  /// Returns an index into growing sums of weights, by weight.
  mutating func index(inSums sums: [Double]) -> Int {
    guard let total = sums.last else { return 0 }
    let wanted = unit() * total
    var (low, high) = (0, sums.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if sums[middle] > wanted { high = middle } else { low = middle + 1 }
    }
    return low
  }

  mutating func shuffle(_ list: inout [Int]) {
    for index in list.indices.dropLast() {
      list.swapAt(index, integer(in: index...list.count - 1))
    }
  }
}
