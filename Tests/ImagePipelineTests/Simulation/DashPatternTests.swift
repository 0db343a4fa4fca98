import Testing

@testable import CacheSimulation

@Suite struct `Dashes of plots` {
  @Test func `a pattern runs on around corners`() {
    let pattern = DashPattern(lengths: [9, 6])

    let drawn = pattern.stretches(of: [(0, 0), (20, 0), (20, 20)])

    #expect(drawn.map(\.from.x) == [0, 15, 20, 20])
    #expect(drawn.map(\.to.x) == [9, 20, 20, 20])
    #expect(drawn.map(\.from.y) == [0, 0, 0, 10])
    #expect(drawn.map(\.to.y) == [0, 0, 4, 19])
  }

  @Test func `a solid line is its sides, and a point draws nothing`() {
    #expect(DashPattern.solid.stretches(of: [(0, 0), (3, 4), (5, 4)]).count == 2)
    #expect(DashPattern.series[1].stretches(of: [(3, 4)]).isEmpty)
    #expect(DashPattern.series[1].stretches(of: [(3, 4), (3, 4)]).isEmpty)
  }

  @Test func `pixels show the ninth line with gaps, the first without`() throws {
    let keys = (0..<400).map { UInt32($0 % 20 * ($0 % 3) / 2) }
    var builder = TraceBuilder(name: "t", sampleRate: 1)
    for key in keys { builder.add(number: UInt64(key), size: 1) }
    let trace = builder.finished()
    let results = try SimulatedPolicy.names.prefix(9).flatMap { name in
      try ["4obj", "9obj"].compactMap { text in
        Simulation(
          trace: trace, policy: try #require(SimulatedPolicy(name)),
          capacity: try #require(SimulatedCapacity(text) { _ in nil })
        ).run { 0 }
      }
    }

    let pixels = Chart(results).pixels()

    // Beside the names, two pixels a unit: from x 604 to 626, 18 further down a name.
    func whites(_ line: Int) -> Int {
      (610..<624).count { pixels.bytes[4 * (2 * (42 + 18 * line) * pixels.width + 2 * $0)] == 255 }
    }
    #expect(whites(0) == 0)
    #expect(whites(8) > 0)
  }
}
