import ImageModel
import Testing

@testable import CachePolicies

@Suite struct `The frequency sketch` {
  @Test func `counts a key alone exactly, up to 15`() {
    var sketch = FrequencySketch()
    var estimates: [Int] = []

    for _ in 0..<18 {
      sketch.add(42, period: .max)
      estimates.append(sketch.estimate(42))
    }

    #expect(estimates == Array(1...15) + [15, 15, 15])
    #expect(FrequencySketch().estimate(42) == 0)
  }

  @Test func `never estimates too low, and rarely too high with room for the keys`() {
    var random = SplitMix64(seed: 77)
    var sketch = FrequencySketch(expectedCount: 1_024)
    var counts: [UInt64: Int] = [:]
    for _ in 0..<3_000 {
      let key = UInt64.random(in: 0..<UInt64.random(in: 1...800, using: &random), using: &random)
      sketch.add(key, period: .max)
      counts[key, default: 0] += 1
    }

    let exact = counts.count { sketch.estimate($0.key) == min(15, $0.value) }

    #expect(counts.allSatisfy { sketch.estimate($0.key) >= min(15, $0.value) })
    #expect(Double(exact) > 0.95 * Double(counts.count))
  }

  @Test func `halves every count after a period, rounded down`() {
    var sketch = FrequencySketch()
    for _ in 0..<9 { sketch.add(1, period: 15) }
    for _ in 0..<5 { sketch.add(2, period: 15) }

    // The fifteenth addition ends the period.
    sketch.add(3, period: 15)

    #expect([1, 2, 3].map { sketch.estimate($0) } == [4, 2, 0])
    for _ in 0..<14 { sketch.add(4, period: 15) }
    #expect(sketch.estimate(1) == 4 && sketch.estimate(4) == 14)
    sketch.add(4, period: 15)
    #expect(sketch.estimate(1) == 2 && sketch.estimate(4) == 7)
  }

  @Test func `keeps its estimates when it grows`() {
    var sketch = FrequencySketch(expectedCount: 32)
    for key: UInt64 in 0..<20 {
      for _ in 0...key % 6 { sketch.add(key, period: .max) }
    }
    let before = (0..<100 as Range<UInt64>).map { sketch.estimate($0) }

    sketch.reserve(500)

    #expect(sketch.capacity == 512)
    #expect((0..<100 as Range<UInt64>).map { sketch.estimate($0) } == before)
    sketch.reserve(10)
    #expect(sketch.capacity == 512)
  }
}
