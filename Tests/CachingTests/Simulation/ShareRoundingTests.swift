import Testing

@testable import CacheSimulation

@Suite struct `A share of a large trace` {
  @Test(
    arguments: [
      (1_000_000_000_001, 0.5, 500_000_000_000), (3_000_000_000_002, 0.75, 2_250_000_000_001),
      (1_999_999_999_999, 0.25, 499_999_999_999), (999_999_999_999, 1.5, 1_499_999_999_998),
      (1 << 50, 0.125, 1 << 47), (10_000_000_000_000, 0.001, 10_000_000_000),
    ] as [(Int, Double, Int)])
  func `is rounded down`(count: Int, share: Double, expected: Int) {
    #expect(SimulatedCapacity.scaled(count, by: share) == expected)
  }
}
