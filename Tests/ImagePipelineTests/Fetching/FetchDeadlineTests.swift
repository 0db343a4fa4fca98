import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `The time for a fetch` {
  private static let body = Array("picture".utf8)

  /// A fixture whose waits last as long as `sleep` says, on a clock that the test advances.
  private static func fixture(
    _ ahead: Locked<Duration>, _ sleep: @escaping @Sendable (Duration) -> Duration = { $0 }
  ) throws -> FetcherFixture {
    try FetcherFixture {
      $0.clock.now = { .now + ahead.withLock { $0 } }
      $0.clock.sleep = { delay in ahead.withLock { $0 += sleep(delay) } }
    }
  }

  @Test func `has room for a retry, or the last failure is thrown at once`() async throws {
    let origin = try FaultyOrigin(.whole([1], status: 503))
    let fixture = try FetcherFixture {
      ($0.retryPolicy.firstDelay, $0.retryPolicy.maximumDelay) = (.seconds(200), .seconds(1000))
    }

    let error = await fixture.failure(of: origin.url("/")) {
      $0.limits.totalTime = .seconds(600)
      $0.maximumRetryCount = 9
    }

    #expect(error?.status == 503)
    #expect(fixture.delays == [.seconds(200)])
    #expect(origin.requests.count == 2)
  }

  @Test func `ends an attempt with what earlier ones left of it`() async throws {
    let origin = try FaultyOrigin(.whole([1], status: 503), .endless)
    let fixture = try Self.fixture(Locked(.zero), { _ in .milliseconds(599_950) })

    let error = await fixture.failure(of: origin.url("/")) {
      $0.limits.totalTime = .seconds(600)
      $0.limits.maximumByteCount = .max
      $0.maximumRetryCount = 1
    }

    #expect(error?.code == .timedOut)
    #expect(
      error?.message.hasSuffix("not done within 600.0 seconds, all attempts together") == true)
  }

  @Test func `is over for the attempt after a wait that took too long`() async throws {
    let origin = try FaultyOrigin(.whole([1], status: 503))
    let fixture = try Self.fixture(Locked(.zero), { _ in .seconds(1000) })

    let error = await fixture.failure(of: origin.url("/")) { $0.maximumRetryCount = 3 }

    #expect(error?.code == .timedOut)
    #expect(origin.requests.count == 1)
  }

  @Test(arguments: [(1000, ["/a"]), (100, ["/a", "/b"])])
  func `is that of the alternates as well`(seconds: Int, paths: [String]) async throws {
    let ahead = Locked(Duration.zero)
    let origin = try FaultyOrigin([
      "/a": [
        .custom { _, connection in
          ahead.withLock { $0 += .seconds(seconds) }
          connection.send(Array("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n".utf8))
          return true
        }
      ],
      "/b": [.whole([1], status: 410)],
    ])

    let error = try await Self.fixture(ahead).failure(of: origin.url("/a")) {
      $0.alternates = [origin.url("/b")]
    }

    #expect(error?.status == (paths.count == 1 ? 404 : 410))
    #expect(origin.requests.map(\.path) == paths)
  }

  @Test func `does not count the wait for the rate of a host, nor that for a busy one`()
    async throws
  {
    let origin = try FaultyOrigin([
      "/a": [.whole(Self.body)], "/b": [.whole(Self.body)],
      "/busy": [.whole([1], status: 429), .whole(Self.body)],
    ])
    let slow = try FetcherFixture { $0.maximumRequestRatePerHost = 0.001 }
    let busy = try FetcherFixture {
      $0.retryPolicy.busyTime = .seconds(5000)
      $0.retryPolicy.firstDelay = .seconds(60)
    }

    _ = try await slow.fetch(origin.url("/a"))
    let second = try await slow.fetch(origin.url("/b"))
    let late = try await busy.fetch(origin.url("/busy")) {
      $0.limits.totalTime = .seconds(50)
    }

    #expect(second.body.text == "picture" && late.body.text == "picture")
    #expect(slow.delays.count == 1 && slow.delays[0] > .seconds(600))
    #expect(busy.delays == [.seconds(60)])
  }
}

@Suite struct `A silent origin` {
  @Test(arguments: [(false, 1), (true, 4)])
  func `is asked once, or as often as others if the policy says so`(
    retriesSilence: Bool, count: Int
  ) async throws {
    let gate = Gate()
    let origin = try FaultyOrigin(.held([], gate))
    let fixture = try FetcherFixture { $0.retryPolicy.retriesSilence = retriesSilence }
    let meter = TransferMeter()

    let error = await fixture.failure(of: origin.url("/")) {
      $0.limits.lowSpeedTime = .milliseconds(50)
      $0.maximumRetryCount = 3
      $0.meter = meter
    }

    #expect(error?.code == .timedOut)
    #expect(fixture.delays.count == count - 1)
    #expect(meter.reading.requestCount == count)
    gate.open()
  }

  @Test func `is followed by the alternates`() async throws {
    let gate = Gate()
    let origin = try FaultyOrigin([
      "/a": [.held([], gate)], "/b": [.whole([1], status: 404)],
    ])

    let fixture = try FetcherFixture()

    _ = await fixture.failure(of: origin.url("/a")) {
      $0.limits.lowSpeedTime = .milliseconds(50)
      $0.alternates = [origin.url("/b")]
      $0.maximumRetryCount = 3
    }

    await Condition.until { origin.requests.map(\.path) == ["/a", "/b"] }
    #expect(fixture.delays == [])
    gate.open()
  }

  @Test func `is not one whose response began, or that refuses connections`() {
    let head = Array("HTTP/1.1 200 OK\r\n".utf8)

    #expect(TransferResult(outcome: .timedOut).wasSilent)
    #expect(!TransferResult(outcome: .timedOut, head: head).wasSilent)
    #expect(!TransferResult(outcome: .timedOut, interim: head).wasSilent)
    #expect(!TransferResult(outcome: .connectionFailed).wasSilent)
    #expect(!TransferResult(outcome: .reset).wasSilent)
  }
}
