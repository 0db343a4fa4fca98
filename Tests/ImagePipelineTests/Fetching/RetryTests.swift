import Testing

@testable import ImageFeeds
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `A retry policy` {
  static let transient: [ImageError] =
    [.timedOut, .connectionFailed, .connectionReset, .shortBody].map { ImageError($0, "") }
    + [408, 429, 500, 502, 503, 504, 599].map { ImageError(.httpStatus, "", status: $0) }

  @Test func `retries transient failures and nothing else`() {
    let policy = RetryPolicy()
    let lasting =
      ImageError.Code.known
      .filter { ![.timedOut, .connectionFailed, .connectionReset, .shortBody].contains($0) }
      .map { ImageError($0, "") }
      + [200, 304, 400, 401, 403, 404, 409, 410, 416, 418, 451].map {
        ImageError(.httpStatus, "", status: $0)
      }

    for error in Self.transient {
      #expect(policy.delay(after: error, retryCount: 0, chance: 0.5) != nil, "\(error)")
    }
    for error in lasting {
      #expect(policy.delay(after: error, retryCount: 0, chance: 0.5) == nil, "\(error)")
    }
  }

  @Test func `doubles its backoff bound, draws uniformly below it, and gives up in the end`() {
    var policy = RetryPolicy()
    policy.maximumRetryCount = 8
    policy.firstDelay = .seconds(1)
    policy.maximumDelay = .seconds(20)
    let error = ImageError(.timedOut, "")

    let bounds = (0..<9).map { policy.delay(after: error, retryCount: $0, chance: 1) }
    let halves = (0..<2).map { policy.delay(after: error, retryCount: $0, chance: 0.5) }

    #expect(bounds.map { $0.map { $0 / .seconds(1) } } == [1, 2, 4, 8, 16, 20, 20, 20, nil])
    #expect(halves.map { $0.map { $0 / .seconds(1) } } == [0.5, 1])
    #expect(policy.delay(after: error, retryCount: 3, chance: 0) == .zero)
  }

  @Test func `waits at least as long as Retry-After, or gives up`() throws {
    let policy = RetryPolicy()
    func delay(_ seconds: Int) -> Duration? {
      let error = ImageError(.httpStatus, "", status: 503, retryAfter: .seconds(seconds))
      return policy.delay(after: error, retryCount: 0, chance: 0.7)
    }

    #expect(try #require(delay(7)) >= .seconds(7))
    #expect(try #require(delay(7)) <= .seconds(8))
    #expect(delay(61) == nil)
  }
}

@Suite struct `A failed fetch` {
  static let body = Array("picture".utf8)

  @Test(arguments: [
    FaultyOrigin.Answer.rawThenReset([]), .raw([]), .whole([1], status: 503),
    .whole([1], status: 429), .whole([1], status: 408), .raw(FaultyOrigin.head(length: 9) + [1]),
  ])
  func `is retried until it succeeds`(fault: FaultyOrigin.Answer) async throws {
    let origin = try FaultyOrigin(fault, fault, .whole(Self.body))
    let fixture = try FetcherFixture()
    let meter = TransferMeter()

    let response = try await fixture.fetch(origin.url("/")) {
      $0.maximumRetryCount = 3
      $0.meter = meter
    }

    #expect(response.body.text == "picture")
    #expect(response.requestCount == 3)
    #expect(meter.reading.requestCount == 3)
    #expect(fixture.delays == [.milliseconds(500), .milliseconds(1000)])
  }

  @Test func `is not retried once cancelled, not even during its wait`() async throws {
    let origin = try FaultyOrigin(.whole([1], status: 503))
    let waiting = Gate()
    let fixture = try FetcherFixture {
      $0.clock.sleep = { _ in
        waiting.open()
        try await Task.sleep(for: .seconds(3600))
      }
    }

    let task = Task { try await fixture.fetch(origin.url("/")) { $0.maximumRetryCount = 3 } }
    await waiting.wait()
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(origin.requests.count == 1)
  }

  @Test func `tries its alternates in order and stops at the first success`() async throws {
    let origin = try FaultyOrigin([
      "/a": [.whole([1], status: 404)], "/b": [.whole([1], status: 503)], "/c": [.whole(Self.body)],
      "/d": [.whole([1])],
    ])

    let response = try await FetcherFixture().fetch(origin.url("/a")) {
      $0.alternates = ["/b", "/c", "/d"].map { origin.url($0) }
    }

    #expect(response.body.text == "picture")
    #expect(response.head.url == origin.url("/c"))
    #expect(response.requestCount == 3)
    #expect(origin.requests.map(\.path) == ["/a", "/b", "/c"])
  }

  @Test func `stops its alternates when cancelled`() async throws {
    let gate = Gate()
    let reached = Gate()
    let origin = try FaultyOrigin([
      "/a": [
        .custom { _, connection in
          reached.open()
          gate.block()
          return false
        }
      ],
      "/b": [.whole([1])],
    ])
    let fixture = try FetcherFixture()

    let task = Task {
      try await fixture.fetch(origin.url("/a")) { $0.alternates = [origin.url("/b")] }
    }
    await reached.wait()
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
    #expect(origin.requests.count == 1)
  }
}
