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

  private struct Distribution {
    let name: String
    let mean: Double
    let deviation: Double
    let draw: @Sendable (inout SplitMix64) -> Double

    init(
      _ name: String, _ mean: Double, _ deviation: Double,
      _ draw: @escaping @Sendable (inout SplitMix64) -> Double
    ) {
      (self.name, self.mean, self.deviation, self.draw) = (name, mean, deviation, draw)
    }

    /// Of an event.
    init(_ name: String, _ share: Double, _ event: @escaping @Sendable (inout SplitMix64) -> Bool) {
      self.init(name, share, (share * (1 - share)).squareRoot()) { event(&$0) ? 1 : 0 }
    }
  }

  private static let distributions: [Distribution] = {
    var all = [
      Distribution("uniform below 1", 0.5, 1 / 12.0.squareRoot()) { $0.unit() },
      Distribution("normal", 0, 1) { $0.normal() },
      Distribution("within 1.96 deviations", 0.95) { abs($0.normal()) < 1.96 },
    ]
    for share in [0, 0.03, 0.5, 0.85, 1] {
      all.append(Distribution("event", share) { $0.happens(share) })
    }
    for mean in [0.5, 1.5, 6] {
      all.append(Distribution("exponential", mean, mean) { $0.exponential(mean: mean) })
    }
    for (shape, scale) in [(1.0, 1.0), (1.5, 2 / 3.0), (4, 0.5)] {
      all.append(
        Distribution("gamma", shape * scale, shape.squareRoot() * scale) {
          $0.gamma(shape: shape, scale: scale)
        })
    }
    for mean in [0, 0.3, 2.2, 9] {
      all.append(
        Distribution("Poisson", mean, mean.squareRoot()) { Double($0.poisson(mean: mean)) })
      all.append(Distribution("none of Poisson", exp(-mean)) { $0.poisson(mean: mean) == 0 })
    }
    return all
  }()

  @Test(arguments: distributions.indices)
  func `have the mean and the deviation of their distribution`(index: Int) {
    let expected = Self.distributions[index]

    let (mean, deviation) = sample(expected.draw)

    // Four standard errors of a mean: 1 in 16,000 of true means is farther away.
    let room = 4 * expected.deviation / Double(Self.count).squareRoot() + 1e-9
    #expect(abs(mean - expected.mean) <= room, "\(expected.name): \(mean)")
    #expect(
      abs(deviation - expected.deviation) <= 0.05 * expected.deviation + 0.01,
      "\(expected.name): \(deviation)")
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

  @Test func `are indices by weight, never one without`() {
    let weights = [3.0, 0, 1, 0, 0, 6]
    let sums = weights.indices.map { weights[...$0].reduce(0, +) }
    var random = SplitMix64(seed: 5)
    var counts = [Int](repeating: 0, count: weights.count)

    for _ in 0..<Self.count { counts[random.index(inSums: sums)] += 1 }

    for (count, weight) in zip(counts, weights) {
      #expect(abs(Double(count) / Double(Self.count) - weight / 10) < 0.015)
      #expect(weight > 0 || count == 0)
    }
    let indices = [random.index(inSums: []), random.index(inSums: [4])]
    #expect(indices == [0, 0])
  }

  @Test func `shuffle a list into each order alike`() {
    var random = SplitMix64(seed: 7)
    var counts: [[Int]: Int] = [:]
    for _ in 0..<6_000 {
      var list = [1, 2, 3]
      random.shuffle(&list)
      counts[list, default: 0] += 1
    }

    #expect(counts.count == 6 && counts.keys.allSatisfy { $0.sorted() == [1, 2, 3] })
    #expect(counts.values.allSatisfy { abs($0 - 1_000) < 150 })
  }
}
