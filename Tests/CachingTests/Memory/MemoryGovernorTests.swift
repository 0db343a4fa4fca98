import Testing

@testable import CachePolicies
@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `Memory governor` {
  private static let mebibyte = 1 << 20

  private final class Holder: MemoryConsuming {
    private let state: Locked<(held: Int, limit: Int)>

    init(_ byteCount: Int) { state = Locked((byteCount, .max)) }

    var byteCount: Int { state.withLock { $0.held } }
    var limit: Int { state.withLock { $0.limit } }
    func setMaximumByteCount(_ limit: Int) {
      state.withLock { $0 = (min($0.held, limit), limit) }
    }
  }

  private func reading(used: Int, of limit: Int, stalled: Double = 0) -> MemoryReading {
    var reading = MemoryReading()
    (reading.usedByteCount, reading.limitByteCount, reading.stalledShare) = (used, limit, stalled)
    return reading
  }

  // MARK: The plan

  @Test(
    arguments: [[0, 0, 0], [100, 0, 0], [5, 900, 3], [400, 400, 400], [2_000, 1, 1]],
    [1, 0.5, 0.125])
  func `limits never exceed the budget`(held: [Int], share: Double) {
    let weights = [2.0, 1, 1]
    let holders = zip(weights, held).map {
      (weight: $0, byteCount: $1 * Self.mebibyte)
    }

    for inFlight in [0, 10, 300, 5_000] {
      let limits = MemoryPlan.limits(
        budget: 400 * Self.mebibyte, share: share, inFlight: inFlight * Self.mebibyte,
        holders: holders)

      let available = Int(400 * share) - inFlight
      #expect(limits.allSatisfy { $0 >= 0 })
      #expect(limits.reduce(0, +) <= max(0, available) * Self.mebibyte)
      #expect(limits.reduce(0, +) > max(0, available) * Self.mebibyte - 8, "nothing is left over")
    }
  }

  @Test func `holders that use everything get shares by weight`() {
    let holders = [(3.0, 90), (1.0, 90)].map {
      (weight: $0.0, byteCount: $0.1 * Self.mebibyte)
    }

    let limits = MemoryPlan.limits(
      budget: 100 * Self.mebibyte, inFlight: 20 * Self.mebibyte, holders: holders)

    #expect(limits == [60, 20].map { $0 * Self.mebibyte })
  }

  // MARK: The readings

  @Test func `cgroup files are parsed`() {
    let reading = MemoryReading(
      current: "1000000\n", limits: ["max\n", "2000000\n", nil],
      statistics: "anon 5\ninactive_file 300000\nactive_file 9\n",
      pressure: "some avg10=2.50 avg60=1.00 avg300=0.10 total=123\nfull avg10=9.99 total=1\n")

    #expect(reading.usedByteCount == 700_000)
    #expect(reading.limitByteCount == 2_000_000)
    #expect(reading.stalledShare == 0.025)
  }

  @Test(arguments: [nil, "", "max", "-", "some avg10=", "some avg10=x"] as [String?])
  func `a missing or malformed file is an unknown reading`(text: String?) {
    let reading = MemoryReading(
      current: text, limits: [text], statistics: text, pressure: text)

    #expect(reading == MemoryReading())
    #expect(reading.budgetShare == 1)
  }

  @Test(
    arguments: [
      (0.5, 0.0, 1), (0.85, 0, 0.5), (0.95, 0, 0.125),
      (0.1, 0.009, 1), (0.1, 0.01, 0.5), (0.1, 0.1, 0.125),
    ])
  func `the share of the budget follows usage and stall time`(
    used: Double, stalled: Double, expected: Double
  ) {
    let reading = reading(used: Int(used * 10_000), of: 10_000, stalled: stalled)
    #expect(reading.budgetShare == expected)
  }

  @Test func `the machine's memory can be read`() {
    let reading = MemoryReading.current()

    #expect((reading.limitByteCount ?? 0) > 64 << 20)
    #expect((reading.usedByteCount ?? 0) > 0)
  }

  // MARK: The governor

  @Test func `pressure shrinks all holders, and its end restores them`() {
    let system = Locked(reading(used: 10, of: 100))
    let governor = MemoryGovernor(budget: 80 * Self.mebibyte) { system.withLock { $0 } }
    let (pictures, frames) = (Holder(60 * Self.mebibyte), Holder(60 * Self.mebibyte))
    governor.add(pictures)
    governor.add(frames)
    #expect([pictures.limit, frames.limit] == [40, 40].map { $0 * Self.mebibyte })

    system.withLock { $0 = reading(used: 96, of: 100) }
    governor.rebalance()
    #expect([pictures.byteCount, frames.byteCount] == [5, 5].map { $0 * Self.mebibyte })
    system.withLock { $0 = reading(used: 10, of: 100) }
    governor.rebalance()

    #expect(pictures.limit + frames.limit == 80 * Self.mebibyte)
  }

  @Test func `bodies in flight take their bytes from the budget while they last`() {
    let governor = MemoryGovernor(budget: 100 * Self.mebibyte) { MemoryReading() }
    let pictures = Holder(100 * Self.mebibyte)
    governor.add(pictures)

    do {
      let body = governor.reserve(30 * Self.mebibyte)
      #expect(pictures.limit == 70 * Self.mebibyte)
      body.setByteCount(50 * Self.mebibyte)
      #expect(pictures.limit == 50 * Self.mebibyte)
      #expect(governor.byteCountInFlight == 50 * Self.mebibyte)
    }

    #expect(governor.byteCountInFlight == 0)
    #expect(pictures.limit == 100 * Self.mebibyte)
  }

  @Test func `beyond the in-flight limit nothing is admitted, but one alone always is`()
    throws
  {
    let governor = MemoryGovernor(maximumInFlight: 100)

    let large = try governor.admit(1000)
    #expect(throws: ImageError.self) { try governor.admit(0) }
    large.setByteCount(99)
    let small = try governor.admit(1)

    #expect(governor.byteCountInFlight == 100)
    #expect { try governor.admit(1) } throws: { ($0 as? ImageError)?.code == .saturated }
    withExtendedLifetime([large, small]) {}
  }

  @Test func `a pipeline's governor reads the system periodically`() async throws {
    let (readings, reading) = AsyncStream.makeStream(of: Void.self)
    let turns = Locked(2)
    let governor = MemoryGovernor(
      budget: 4 * Self.mebibyte,
      sleep: { _ in
        let isOver = turns.withLock { turns in
          turns -= 1
          return turns < 0
        }
        if isOver { throw CancellationError() }
      },
      probe: {
        reading.yield()
        return MemoryReading()
      })
    var configuration = ImagePipeline.Configuration(fetcher: StubFetcher(returning: []))
    configuration.governor = governor

    let pipeline = try ImagePipeline(configuration)

    // There are no holders, so only the watcher can have read.
    var asked = 0
    for await _ in readings {
      asked += 1
      if asked == 2 { break }
    }
    #expect(asked == 2)
    await pipeline.close()
  }
}
