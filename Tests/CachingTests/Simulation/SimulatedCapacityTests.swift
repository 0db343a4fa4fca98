import Testing

@testable import CacheSimulation

@Suite struct `The capacity of a simulated cache` {
  /// A parser of plain numbers and of `KiB`.
  private static func bytes(_ text: String) -> Int? {
    text.hasSuffix("KiB") ? Int(text.dropLast(3)).map { $0 * 1024 } : Int(text)
  }

  private func parsed(_ text: String) -> SimulatedCapacity? {
    SimulatedCapacity(text, bytes: Self.bytes)
  }

  @Test(arguments: [
    ("64KiB", SimulatedCapacity.Amount.fixed(65_536)), ("0", .fixed(0)),
    ("1000obj", .fixed(1_000)), ("0obj", .fixed(0)), ("1%", .share(0.01)),
    ("0.5%", .share(0.005)), ("10000%", .share(100)), ("25%obj", .share(0.25)),
  ])
  func `is a number of bytes or objects, or a share of the trace`(
    text: String, amount: SimulatedCapacity.Amount
  ) throws {
    let capacity = try #require(parsed(text))

    #expect(capacity.amount == amount)
    #expect(capacity.description == text)
    #expect(capacity.countsObjects == text.hasSuffix("obj"))
  }

  @Test(arguments: [
    "", "%", "obj", "%obj", "-1obj", "1.5obj", "-1%", "10001%", "nan%", "inf%obj", "x%", "1 obj",
    "1OBJ", "64parsecs",
  ])
  func `cannot be any other text`(text: String) {
    #expect(parsed(text) == nil)
  }

  @Test(arguments: [
    ("1%", 10), ("0.1%", 1), ("0.09%", 0), ("33.3%", 333), ("200%", 2_000), ("7", 7),
    ("50%obj", 2), ("30%obj", 1), ("100%obj", 4), ("9obj", 9), ("0%", 0),
  ])
  func `is rounded down for a trace of four objects and 1000 bytes`(text: String, expected: Int)
    throws
  {
    let facts = TraceFacts(keys: [0, 1, 2, 3, 0], sizes: [100, 200, 300, 400, 100])

    #expect(try #require(parsed(text)).value(for: facts) == expected)
  }

  @Test(
    arguments: [
      (1_000_000_000_001, 0.5, 500_000_000_000), (3_000_000_000_002, 0.75, 2_250_000_000_001),
      (1_999_999_999_999, 0.25, 499_999_999_999), (999_999_999_999, 1.5, 1_499_999_999_998),
      (1 << 50, 0.125, 1 << 47), (10_000_000_000_000, 0.001, 10_000_000_000),
      (1 << 60, 100, .max),
    ] as [(Int, Double, Int)])
  func `is a share of a large trace rounded down`(count: Int, share: Double, expected: Int) {
    #expect(SimulatedCapacity.scaled(count, by: share) == expected)
  }

  @Test func `shrinks with the sample where it is absolute, and not where it is a share`() throws {
    let trace = CacheTrace(
      name: "t", keys: [0, 1], sizes: [10, 10],
      thinning: CacheTrace.Thinning(rate: 0.25, requestCount: 8, byteCount: 80))
    func scaled(_ text: String) throws -> Int {
      let capacity = try #require(parsed(text))
      return Simulation(trace: trace, policy: .online(.fifo), capacity: capacity)
        .scaledForSample(capacity.value(for: trace.facts), of: capacity)
    }

    #expect(try scaled("1000") == 250)
    #expect(try scaled("10obj") == 2)
    #expect(try scaled("50%") == 10)
    #expect(try scaled("50%obj") == 1)
  }
}

@Suite struct `The name of a simulated policy` {
  @Test(arguments: SimulatedPolicy.names.filter { $0 != "default-disk" })
  func `is read as it is written`(name: String) throws {
    #expect(try #require(SimulatedPolicy(name)).description == name)
  }

  @Test(arguments: [
    ("gdsf-tb-disk:0.5", SimulatedPolicy.disk(.gdsfTB(exponent: 0.5)), "gdsf-tb-disk:0.5"),
    ("lhd-tb:2", .online(.lhdTB(exponent: 2)), "lhd-tb:2.0"),
    ("lhd-tb-disk:1", .disk(.lhdTB(exponent: 1)), "lhd-tb-disk"),
    ("default-disk", .disk(.default), "lhd-tb-disk"),
    ("hits-disk", .disk(.default), "lhd-tb-disk"),
    ("bytes-disk", .disk(.bytes), "lhd-tb-disk:0.125"),
    ("bytes", .online(.bytes), "lhd-tb:0.125"), ("pfoo-l-bytes", .pfooLBytes, "pfoo-l-bytes"),
  ])
  func `has an exponent on the size behind a colon, unless it is the default`(
    name: String, policy: SimulatedPolicy, description: String
  ) {
    #expect(SimulatedPolicy(name) == policy)
    #expect(policy.description == description)
  }

  @Test(arguments: [
    "", "-disk", ":", "lru-disk:", "lru-disk:1", "lru:1", "gdsf-tb:0.5-disk", "gdsf-tb-disk:",
    "gdsf-tb-disk:5", "gdsf-tb-disk:1:1", "fifo-disk", "default", "default-disk:1", "LRU", "inf ",
    "arc-disk", "gdsf-disk", "sieve-disk:1",
  ])
  func `is none of these`(name: String) {
    #expect(SimulatedPolicy(name) == nil)
  }
}
