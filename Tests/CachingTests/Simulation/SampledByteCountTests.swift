import Testing

@testable import CacheSimulation

@Suite struct `A sample with recorded misses` {
  /// A request without a size has that of another request for the key.
  @Test func `has no more bytes than the whole trace`() {
    func trace(_ rate: Double) -> CacheTrace {
      var builder = TraceBuilder(name: "t", sampleRate: rate)
      for round in 0..<10 {
        for key in 0..<100 { builder.add(number: UInt64(key), size: round == 0 ? 1_000 : 0) }
      }
      return builder.finished()
    }

    let (whole, sample) = (trace(1), trace(0.999_999))

    #expect(whole.expectedByteCount == 1_000_000)
    #expect(sample.expectedByteCount.rounded() == 1_000_000)
  }
}
