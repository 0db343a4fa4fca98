import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `Bounds that know the future` {
  private func trace(_ keys: [Int], sizes: [Int]? = nil) -> CacheTrace {
    var builder = TraceBuilder(name: "t", sampleRate: 1)
    for (index, key) in keys.enumerated() {
      builder.add(number: UInt64(key), size: sizes?[index] ?? 1)
    }
    return builder.finished()
  }

  /// The most hits of any way to evict, by trying all.
  private func best(_ keys: ArraySlice<Int>, _ resident: Set<Int>, capacity: Int) -> Int {
    guard let key = keys.first else { return 0 }
    let rest = keys.dropFirst()
    if resident.contains(key) { return 1 + best(rest, resident, capacity: capacity) }
    if resident.count < capacity { return best(rest, resident.union([key]), capacity: capacity) }
    return resident.map {
      best(rest, resident.subtracting([$0]).union([key]), capacity: capacity)
    }.max() ?? 0
  }

  @Test func `Belady's is the best of all ways to evict`() {
    var random = SplitMix64(seed: 5)
    for round in 0..<120 {
      let keys = (0..<11).map { _ in Int.random(in: 0..<5, using: &random) }
      for capacity in 1...3 {
        let hits = Belady.count(trace(keys), sizes: nil, capacity: capacity, warmUp: 0).hits

        #expect(hits == best(keys[...], [], capacity: capacity), "round \(round): \(keys)")
      }
    }
  }

  @Test(arguments: SimulatedPolicy.names.filter { $0 != "inf" && $0 != "belady" })
  func `nobody beats PFOO-L, also where objects change their sizes`(_ name: String) throws {
    let policy = try #require(SimulatedPolicy(name))
    var random = SplitMix64(seed: 17)
    for round in 0..<(CampaignSize.isFull ? 60 : 20) {
      let objects = (0..<24).map { _ in Int.random(in: 1...40, using: &random) }
      let keys = (0..<300).map { _ in
        Int.random(in: 0..<Int.random(in: 1...24, using: &random), using: &random)
      }
      let isFixed = round % 2 == 0
      let sizes = keys.map { isFixed ? objects[$0] : Int.random(in: 1...40, using: &random) }
      let trace = trace(keys, sizes: sizes)
      for room in [10, 60, 200] {
        let capacity = try #require(SimulatedCapacity("\(room)") { Int($0) })
        let counts = try #require(
          Simulation(trace: trace, policy: policy, capacity: capacity).run { 0 }?.counts)
        let bound = PFOOL.count(trace, sizes: trace.sizes, capacity: room)
        let byBytes = PFOOL.count(trace, sizes: trace.sizes, capacity: room, byBytes: true)

        #expect(counts.hits <= bound.hits, "round \(round), \(room) bytes")
        #expect(counts.hitByteCount <= byBytes.hitByteCount, "round \(round), \(room) bytes")
      }
    }
  }

  @Test func `a stretch costs what lies in the cache, and gains what is asked for`() {
    let trace = trace([1, 2, 1, 2, 1], sizes: [10, 90, 60, 5, 7])

    let bound = PFOOL.count(trace, sizes: trace.sizes, capacity: 50)
    let plan = GreedyPlan.count(trace, sizes: trace.sizes, capacity: 50, warmUp: 0)

    // Only the first stretch of 1 begins with a size that fits; the request that ends it is for 60
    // bytes.
    #expect(bound.hits == 1 && plan.hits == 1)
    #expect(bound.hitByteCount == 60 && plan.hitByteCount == 60)
  }

  @Test func `Belady's makes room by bytes, and an object that outgrew the cache goes`() throws {
    let trace = trace([1, 2, 3, 1, 2, 2], sizes: [10, 10, 10, 10, 30, 10])

    // The second is asked for later than the first, so it goes for the third; then it is too large,
    // and then absent.
    let counts = Belady.count(trace, sizes: trace.sizes, capacity: 20, warmUp: 0)
    let grown = Belady.count(
      self.trace([1, 1, 1], sizes: [10, 30, 10]), sizes: [10, 30, 10], capacity: 20, warmUp: 0)

    #expect(counts.hits == 1 && counts.hitByteCount == 10)
    #expect(grown.hits == 1 && grown.hitByteCount == 30 && grown.evictions == 1)
  }

  @Test func `occupancy is the maximum over a range`() {
    var random = SplitMix64(seed: 2)
    var tree = Occupancy(count: 37)
    var plain = [Int](repeating: 0, count: 37)
    for _ in 0..<400 {
      let low = Int.random(in: 0..<37, using: &random)
      let range = low..<Int.random(in: low + 1...37, using: &random)

      #expect(tree.maximum(range) == plain[range].max())

      let amount = Int.random(in: 0...9, using: &random)
      tree.add(amount, to: range)
      for index in range { plain[index] += amount }
    }
  }
}
