import ImageModel
import Testing

@testable import CacheSimulation

@Suite struct `A sample of a trace` {
  private func trace(requests: Int, keys: Int, rate: Double = 1) -> CacheTrace {
    var random = SplitMix64(seed: 41)
    var builder = TraceBuilder(name: "t", sampleRate: rate)
    for _ in 0..<requests {
      let key = Int.random(in: 0..<Int.random(in: 1...keys, using: &random), using: &random)
      builder.add(number: UInt64(key), size: 10 + key % 7)
    }
    return builder.finished()
  }

  @Test func `keeps a key with all its requests or none`() {
    let whole = trace(requests: 5_000, keys: 300)
    let sample = trace(requests: 5_000, keys: 300, rate: 0.3)
    func counts(_ trace: CacheTrace) -> [Int] {
      trace.keys.reduce(into: [Int](repeating: 0, count: trace.facts.objectCount)) {
        $0[Int($1)] += 1
      }
    }

    // The counts of the sample's keys are among those of the whole trace.
    var rest: [Int: Int] = [:]
    for count in counts(whole) { rest[count, default: 0] += 1 }
    for count in counts(sample) { rest[count, default: 0] -= 1 }
    #expect(sample.keys.count < whole.keys.count)
    #expect(rest.values.allSatisfy { $0 >= 0 })
    #expect(sample.fullRequestCount == 5_000)
    #expect(sample.sampleRate == 0.3)
    #expect(sample.expectedRequestCount == 1_500)
  }

  @Test func `has the bytes of the whole trace only where every size is known`() {
    func expected(_ sizes: [Int], rounds: Int = 1) -> Double {
      var builder = TraceBuilder(name: "t", sampleRate: 0.999_999)
      for round in 0..<rounds {
        for (key, size) in sizes.enumerated() {
          builder.add(number: UInt64(key), size: round == 0 ? size : 0)
        }
      }
      return builder.finished().expectedByteCount.rounded()
    }

    #expect(expected([100, 200, 300]) == 600)
    #expect(expected([100, 0, 300]) == 400)
    // A request without a size has that of another request for the key.
    #expect(expected([100, 200, 300], rounds: 10) == 6_000)
  }

  @Test func `is split into parts of different keys, each a smaller sample`() {
    let whole = trace(requests: 4_000, keys: 200)

    let parts = whole.split(into: 8)

    #expect(parts.count == 8)
    #expect(parts.reduce(0) { $0 + $1.keys.count } == 4_000)
    #expect(parts.reduce(0) { $0 + $1.facts.objectCount } == whole.facts.objectCount)
    #expect(
      parts.reduce(0) { $0 + $1.facts.requestedByteCount } == whole.facts.requestedByteCount)
    #expect(parts.allSatisfy { $0.sampleRate == 0.125 && $0.fullRequestCount == 4_000 })
    #expect(parts.allSatisfy { $0.expectedRequestCount == 500 })
    // Keys are numbered in the order in which they appear in their part.
    for part in parts {
      var known: UInt32 = 0
      for key in part.keys {
        #expect(key <= known)
        if key == known { known += 1 }
      }
    }
  }

  private func error(_ trace: CacheTrace, _ policy: String, _ capacity: String) throws -> Double? {
    Simulation(
      trace: trace, policy: try #require(SimulatedPolicy(policy)),
      capacity: try #require(SimulatedCapacity(capacity) { Int($0) })
    ).standardError()
  }

  @Test func `has an error that falls with the number of its keys`() throws {
    let few = try #require(try error(trace(requests: 3_000, keys: 200), "lru", "20%obj"))
    let many = try #require(try error(trace(requests: 60_000, keys: 8_000), "lru", "20%obj"))

    #expect(few > 0)
    #expect(many > 0 && many < few / 2)
  }

  @Test func `has no error where an eighth of the capacity has no room for four objects`() throws {
    let trace = trace(requests: 3_000, keys: 200)

    #expect(try error(trace, "lru", "31obj") == nil)
    #expect(try error(trace, "lru", "32obj") != nil)
    #expect(try error(trace, "lru", "100") == nil)
    // A cache without a limit needs no room.
    #expect(try error(trace, "inf", "0obj") != nil)
  }
}
