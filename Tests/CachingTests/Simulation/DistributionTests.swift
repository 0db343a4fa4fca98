import Foundation
import ImageModel
import Testing

@testable import CacheSimulation

@Suite struct `Random numbers of the generator` {
  private static let count = 20_000

  private func sample(_ body: (inout SplitMix64) -> Double) -> (mean: Double, deviation: Double) {
    var random = SplitMix64(seed: 12)
    let numbers = (0..<Self.count).map { _ in body(&random) }
    let mean = numbers.reduce(0, +) / Double(Self.count)
    let square = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(Self.count)
    return (mean, square.squareRoot())
  }

  /// Four standard errors of a mean: 1 in 16,000 of true means is farther away.
  private func isClose(_ mean: Double, to expected: Double, deviation: Double) -> Bool {
    abs(mean - expected) < 4 * deviation / Double(Self.count).squareRoot()
  }

  @Test func `are uniform below 1`() {
    let (mean, deviation) = sample { $0.unit() }

    #expect(isClose(mean, to: 0.5, deviation: deviation))
    #expect(abs(deviation - 1 / 12.0.squareRoot()) < 0.005)
    var random = SplitMix64(seed: 1)
    #expect((0..<Self.count).allSatisfy { _ in (0..<1).contains(random.unit()) })
  }

  @Test(arguments: [0, 0.03, 0.5, 0.85, 1])
  func `happen with their probability`(probability: Double) {
    let (mean, deviation) = sample { $0.happens(probability) ? 1 : 0 }

    #expect(mean == probability || isClose(mean, to: probability, deviation: deviation))
  }

  @Test(arguments: [0...0, 6...10, -3...3, 0...1_000])
  func `are integers of their range, all alike`(range: ClosedRange<Int>) {
    var random = SplitMix64(seed: 4)
    var counts: [Int: Int] = [:]
    for _ in 0..<Self.count { counts[random.integer(in: range), default: 0] += 1 }

    #expect(counts.keys.allSatisfy(range.contains))
    let expected = Double(Self.count) / Double(range.count)
    let isEven = counts.values.allSatisfy {
      abs(Double($0) - expected) < 5 * expected.squareRoot() + 1
    }
    #expect(isEven && (range.count > 100 || counts.count == range.count))
  }

  @Test(arguments: [0.5, 1.5, 6])
  func `are exponential with their mean`(expected: Double) {
    let (mean, deviation) = sample { $0.exponential(mean: expected) }

    #expect(isClose(mean, to: expected, deviation: deviation))
    // The deviation of an exponential number is its mean.
    #expect(abs(deviation / expected - 1) < 0.05)
  }

  @Test func `are normal`() {
    let (mean, deviation) = sample { $0.normal() }
    let (within, _) = sample { abs($0.normal()) < 1.96 ? 1 : 0 }

    #expect(isClose(mean, to: 0, deviation: 1))
    #expect(abs(deviation - 1) < 0.02)
    #expect(abs(within - 0.95) < 0.007)
  }

  @Test(arguments: [(1.0, 1.0), (1.5, 2 / 3.0), (4, 0.5)])
  func `are gamma numbers of their shape and scale`(shape: Double, scale: Double) {
    let (mean, deviation) = sample { $0.gamma(shape: shape, scale: scale) }

    #expect(isClose(mean, to: shape * scale, deviation: deviation))
    #expect(abs(deviation / (shape.squareRoot() * scale) - 1) < 0.05)
  }

  @Test(arguments: [0, 0.3, 2.2, 9])
  func `are Poisson numbers of their mean`(expected: Double) {
    let (mean, deviation) = sample { Double($0.poisson(mean: expected)) }
    let (none, _) = sample { $0.poisson(mean: expected) == 0 ? 1 : 0 }

    #expect(mean == expected || isClose(mean, to: expected, deviation: deviation))
    #expect(abs(deviation - expected.squareRoot()) < 0.05)
    #expect(abs(none - exp(-expected)) < 0.015)
  }

  @Test func `are indices by weight, never one without`() {
    let weights = [3.0, 0, 1, 0, 0, 6]
    var sums: [Double] = []
    for weight in weights { sums.append((sums.last ?? 0) + weight) }
    var random = SplitMix64(seed: 5)
    var counts = [Int](repeating: 0, count: weights.count)

    for _ in 0..<Self.count { counts[random.index(inSums: sums)] += 1 }

    for (count, weight) in zip(counts, weights) {
      #expect(abs(Double(count) / Double(Self.count) - weight / 10) < 0.015)
      #expect(weight > 0 || count == 0)
    }
  }

  @Test func `shuffle a list into each order alike`() {
    var random = SplitMix64(seed: 7)
    var counts: [[Int]: Int] = [:]
    for _ in 0..<6_000 {
      var list = [1, 2, 3]
      random.shuffle(&list)
      counts[list, default: 0] += 1
    }

    #expect(counts.count == 6)
    #expect(counts.keys.allSatisfy { $0.sorted() == [1, 2, 3] })
    #expect(counts.values.allSatisfy { abs($0 - 1_000) < 150 })
    var empty: [Int] = []
    random.shuffle(&empty)
    #expect(empty == [])
  }
}
