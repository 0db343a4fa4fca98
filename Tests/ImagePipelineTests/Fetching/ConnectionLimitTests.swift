import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import LoadScheduling
@testable import TestSupport

@Suite struct `A limit of connections to one host` {
  private static func slow(_ gate: Gate, count: Int) throws -> FaultyOrigin {
    let origin = try FaultyOrigin()
    for number in 0..<count {
      origin["/\(number)"] = [.held(FaultyOrigin.head(length: 2), gate, Array("ok".utf8))]
    }
    return origin
  }

  @Test func `holds back what is for a full one, and nothing else`() async throws {
    let gate = Gate()
    let slow = try Self.slow(gate, count: 9)
    let fast = try FaultyOrigin(.whole(Array("fast".utf8)))
    let fixture = try FetcherFixture { $0.maximumConnectionsPerHost = 3 }

    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<9 {
        group.addTask { try await fixture.fetch(slow.url("/\(number)")).body.byteCount }
      }
      await Condition.until { slow.requests.count == 3 }
      for _ in 0..<5 {
        let answer = try await fixture.fetch(fast.url("/"))
        #expect(answer.body.text == "fast")
      }
      #expect(slow.requests.count == 3)
      gate.open()
      let byteCount = try await group.reduce(0, +)
      #expect(byteCount == 18)
    }

    #expect(slow.requests.count == 9)
  }

  @Test func `gives the place of a cancelled fetch to the next one`() async throws {
    let gate = Gate()
    let slow = try Self.slow(gate, count: 3)
    let fixture = try FetcherFixture { $0.maximumConnectionsPerHost = 1 }
    let first = Task { try await fixture.fetch(slow.url("/0")) }
    await Condition.until { slow.requests.count == 1 }
    let others = (1..<3).map { number in Task { try await fixture.fetch(slow.url("/\(number)")) } }

    first.cancel()
    await Condition.until { slow.requests.count == 2 }
    gate.open()
    for other in others { #expect(try await other.value.body.byteCount == 2) }

    await #expect(throws: CancellationError.self) { try await first.value }
  }

  @Test func `is one for all of the origins that are remembered, and those in use stay`() {
    var origins = CurlOrigins(maximumConnections: 1)
    let used = origins.origin(of: "https://used.example/a")
    used.exchangeCount = 1
    for number in 0..<3000 { _ = origins.origin(of: "https://\(number).example/") }

    #expect(origins.origin(of: "https://used.example/b?c=/") === used)
    #expect(origins.origin(of: "https://used.example:8443/") !== used)
    #expect(origins.origin(of: "http://used.example/") !== used)
    #expect(!origins.hasRoom(used))
    used.isMultiplexed = true
    #expect(origins.hasRoom(used))
  }
}

@Suite struct `The limit of a host with HTTP/2` {
  private let queue = JobQueue(maximumRunning: 100, maximumPerHost: 4)
  private let limiter: HostLimiter

  init() { limiter = HostLimiter(queue: queue, maximum: 4, maximumStreams: 40) }

  /// How many of 60 jobs for a host run at once.
  private func runningCount() async throws -> Int {
    let gate = Gate()
    let jobs = (0..<60).map { _ in
      Task { [queue] in
        try await queue.run(priority: LivePriority(.prefetch), host: "a") { await gate.wait() }
      }
    }
    await Condition.until { [queue] in queue.pendingCount + queue.runningCount == 60 }
    defer { gate.open() }
    let count = queue.runningCount
    gate.open()
    for job in jobs { try await job.value }
    return count
  }

  @Test func `is another one, until it answers over HTTP/1.1`() async throws {
    #expect(try await runningCount() == 4)
    limiter.learn("a", isMultiplexed: true)
    #expect(try await runningCount() == 40)
    limiter.record("a", nil)
    #expect(try await runningCount() == 40)
    limiter.learn("a", isMultiplexed: false)
    #expect(try await runningCount() == 4)
    #expect(limiter.count == 0)
  }

  @Test func `is halved by complaints like any other, and comes back`() async throws {
    let busy = ImageError(.httpStatus, "", status: 503)
    limiter.learn("a", isMultiplexed: true)
    limiter.record("a", busy)
    #expect(try await runningCount() == 20)
    for _ in 0..<20 { limiter.record("a", nil) }
    #expect(try await runningCount() == 40)
    limiter.learn("a", isMultiplexed: false)
    limiter.record("a", busy)
    #expect(try await runningCount() == 2)
  }

  @Test func `is remembered of so many hosts`() {
    for number in 0..<3000 { limiter.learn("\(number)", isMultiplexed: true) }
    #expect(limiter.count == HostLimiter.maximumCount)
  }
}
