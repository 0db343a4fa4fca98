import Testing

@testable import HTTPListening
@testable import ImageFeeds
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import ThumbnailServer
@testable import TestSupport

/// A failure counts against the host that failed, not against the one that redirected to it.
@Suite struct `A redirect to a host that fails` {
  static func redirect(to url: String) -> FaultyOrigin.Answer {
    .whole([], status: 302, fields: ["Location: \(url)"])
  }

  @Test func `reports the failure for the last host, and success for those before it`() async throws
  {
    let failing = try FaultyOrigin(["/": [.whole([], status: 503, fields: ["Retry-After: 10"])]])
    let open = try FaultyOrigin(["/": [Self.redirect(to: failing.url("/"))]])
    let noted = Locked<[String: Bool]>([:])

    let error = try await FetcherFixture().failure(of: open.url("/")) { request in
      request.attemptEnded = { host, error in noted.withLock { $0[host] = error != nil } }
    }

    #expect(error?.status == 503)
    #expect(
      noted.withLock { $0 } == ["127.0.0.1:\(failing.port)": true, "127.0.0.1:\(open.port)": false])
  }

  @Test func `pauses only the failing host, by its own Retry-After`() async throws {
    let failing = try FaultyOrigin(["/": [.whole([], status: 429, fields: ["Retry-After: 30"])]])
    let server = try await ServerFixture([
      "/away": [Self.redirect(to: failing.url("/"))], "/a.jpg": [.whole(SampleImages.widePhoto)],
    ])

    let away = try await server.get(server.image("/away"))
    let image = try await server.get(server.image("/a.jpg"))
    let pauses = (
      server.parts.pipeline.graph.hosts.pause(of: "127.0.0.1:\(failing.port)"),
      server.parts.pipeline.graph.hosts.pause(of: "127.0.0.1:\(server.origin.port)")
    )

    #expect(away.status == 503 || away.status == 502)
    #expect(image.status == 200)
    #expect(pauses.0 != nil)
    #expect(pauses.1 == nil)
  }

  @Test func `without a DNS entry does not count against the redirecting host`() async throws {
    let server = try await ServerFixture(
      [
        "/away": [Self.redirect(to: "http://no-such-host.invalid/")],
        "/a.jpg": [.whole(SampleImages.widePhoto)],
      ],
      serving: {
        $0.allowedHosts =
          (try? HostAllowList(["127.0.0.1", "no-such-host.invalid"])) ?? HostAllowList()
      })

    let away = try await server.get(server.image("/away"))
    let again = try await server.get(server.image("/away"))
    let image = try await server.get(server.image("/a.jpg"))
    let requests = server.origin.requests.map(\.path)

    #expect([502, 504].contains(away.status))
    #expect(again.status == away.status)
    #expect(image.status == 200, "\(image.text)")
    #expect(requests == ["/away", "/a.jpg"])
  }

  @Test func `is not remembered longer when requested again`() async throws {
    let server = try await ServerFixture([
      "/gone": [.text("not an image"), .whole(SampleImages.widePhoto)]
    ])

    var statuses: [Int] = []
    for _ in 0..<4 {
      statuses.append(try await server.get(server.image("/gone")).status)
      server.clock.advance(by: 27)
    }
    let count = server.origin.requests.count

    #expect(statuses.prefix(3).allSatisfy { $0 == 415 })
    #expect(statuses.last == 200)
    #expect(count == 2)
  }

  @Test func `does not grow the number of remembered hosts`() {
    let clock = with(QueueClock()) { $0.sleep = { _ in throw CancellationError() } }
    let queue = JobQueue(maximumRunning: 4, maximumPerHost: 4, rate: nil, clock: clock)
    let limiter = HostLimiter(queue: queue, maximum: 4, clock: clock)

    for number in 0..<3 * HostLimiter.maximumCount {
      limiter.record(
        "host-\(number).example:80",
        ImageError(.httpStatus, "", status: 429, retryAfter: number % 2 == 0 ? .seconds(30) : nil))
    }

    #expect(limiter.count <= HostLimiter.maximumCount)
  }
}
