import Foundation
import Testing

@testable import CachePolicies
@testable import HTTPListening
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import ThumbnailServer
@testable import TestSupport

/// Equal work is coalesced, excess work is refused, and work without a waiter is cancelled.
@Suite struct `Coalesced and bounded work` {
  private static let picture = SampleImages.widePhoto

  /// The picture, whose body comes when the gate opens.
  private static func held(_ gate: Gate, _ fields: [String] = []) -> FaultyOrigin.Answer {
    .held(FaultyOrigin.head(length: picture.count, fields: fields), gate, picture)
  }

  /// Requests together.
  private static func get(_ targets: [String], _ server: ServerFixture) async throws -> [RawAnswer]
  {
    try await withThrowingTaskGroup(of: RawAnswer.self) { group in
      for target in targets { group.addTask { try await server.get(target) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Takes the only decode slot until the gate opens.
  private static func decode(_ server: ServerFixture, until gate: Gate) async -> Task<
    Void, any Error
  > {
    let began = Gate()
    let decode = Task {
      try await server.parts.decodes.run(priority: LivePriority(), pixelCount: 1) {
        began.open()
        await gate.wait()
      }
    }
    await began.wait()
    return decode
  }

  @Test func `a hundred cold requests for one thumbnail are one fetch and one decode`() async throws
  {
    let gate = Gate()
    let server = try await ServerFixture([
      "/a.jpg": [Self.held(gate, ["Cache-Control: max-age=1000"])]
    ])

    async let answers = Self.get(Array(repeating: server.thumb("/a.jpg"), count: 100), server)
    // The clients, and the thumbnail that waits for its original.
    await server.until { server.waiterCount == 101 }
    gate.open()
    let all = try await answers

    #expect(Set(all.map(\.status)) == [200])
    #expect(Set(all.map(\.body)).count == 1)
    #expect(server.origin.requests.count == 1)
    let registry = server.parts.metrics.registry
    let decodes = registry.histogram("imgcache_stage_duration_seconds", [("stage", "decode")])
    #expect(decodes.value.count == 1)
    #expect(all.count { $0["cache-status"]?.contains("collapsed") == true } == 99)
    #expect(registry.counter("imgcache_collapsed_total").value == 99)
  }

  @Test func `a client that disconnects cancels work that no other one waits for`() async throws {
    let gate = Gate()
    let lines = Locked<[String]>([])
    let server = try await ServerFixture(
      ["/a.jpg": [.held([], gate)]],
      serving: { $0.accessLog = .init { line in lines.withLock { $0.append(line) } } })

    let client = try server.client(
      "GET \(server.thumb("/a.jpg")) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await server.until { server.origin.requests.count == 1 }
    client.end()
    await server.until { server.parts.pipeline.activeLoadCount == 0 }
    await server.until { lines.withLock { $0.count } == 1 }

    #expect(server.parts.metrics.requests.inFlightCount == 0)
    #expect(server.parts.metrics.requests.statuses(of: ThumbnailRoute.thumb) == [499: 1])
    #expect(lines.withLock { $0.first?.contains("\" 499 0 ") } == true)
    gate.open()
  }

  @Test func `beyond a short queue requests get 503, and /healthz still answers`() async throws {
    let gate = Gate()
    let waiting = with(WaitLimits()) { $0.maximumCount = 1 }
    let paths = (0..<6).map { "/\($0).jpg" }
    let server = try await ServerFixture(
      Dictionary(uniqueKeysWithValues: paths.map { ($0, [.held([], gate)]) }), waiting: waiting,
      loading: {
        $0.maximumFetches = 2
        $0.reservedFetches = 0
      })

    // Two are fetched, one waits, the others are refused.
    async let held = Self.get(paths.map { server.thumb($0) }, server)
    await server.until { server.refusedCount == 3 }
    let refused = try await server.get(server.thumb("/other.jpg"))
    let health = try await server.get("/healthz")
    let metrics = try await server.get("/metrics")
    gate.open()

    #expect(refused.status == 503 && refused["retry-after"] == "1")
    #expect(refused["content-type"] == "application/problem+json")
    #expect(health.status == 200)
    #expect(metrics.text.contains(#"imgcache_queue_length{queue="fetch"} 1"#))
    #expect(try await held.count { $0.status == 503 } == 3)
  }

  /// An image that is stale two seconds later.
  private static let old = FaultyOrigin.Answer.whole(
    picture, fields: ["Cache-Control: max-age=1, stale-if-error=600"])

  private static func patient() -> WaitLimits {
    with(WaitLimits()) { $0.maximumTime = .seconds(5) }
  }

  @Test func `an origin in backoff is not waited for, and a stale image is served`() async throws {
    let server = try await ServerFixture(
      [
        "/old.jpg": [Self.old], "/new.jpg": [.whole(Self.picture)],
        "/busy.jpg": [.whole([], status: 429, fields: ["Retry-After: 60"])],
      ], waiting: Self.patient(), loading: { $0.queueClock.now = { .zero } })
    let first = try await server.get(server.image("/old.jpg"))
    server.clock.advance(by: 2)
    let busy = try await server.get(server.image("/busy.jpg"))
    let asked = server.origin.requests.count

    let stale = try await server.get(server.image("/old.jpg"))
    let absent = try await server.get(server.image("/new.jpg"))
    let standIn = try await server.get(server.thumb("/new.jpg", "w=9&placeholder=1"))

    #expect([first, busy, stale, absent].map(\.status) == [200, 503, 200, 503])
    #expect(Data(stale.body) == Data(Self.picture))
    #expect(absent.text.contains("origin_busy") && absent["retry-after"] == "60")
    #expect(standIn["cache-status"] == "imgcache; detail=placeholder")
    #expect(server.origin.requests.count == asked)
  }

  @Test func `a 503 with Retry-After holds its URL and no other one`() async throws {
    let busy = FaultyOrigin.Answer.whole([], status: 503, fields: ["Retry-After: 60"])
    let server = try await ServerFixture(
      ["/old.jpg": [Self.old, busy], "/busy.jpg": [busy], "/new.jpg": [.whole(Self.picture)]],
      waiting: Self.patient())
    let first = try await server.get(server.image("/old.jpg"))
    server.clock.advance(by: 2)

    var statuses = [first.status]
    for path in ["/old.jpg", "/busy.jpg", "/old.jpg", "/busy.jpg", "/new.jpg"] {
      statuses.append(try await server.get(server.image(path)).status)
    }
    let requests = server.origin.requests.map(\.path)
    server.clock.advance(by: 61)
    _ = try await server.get(server.image("/busy.jpg"))

    #expect(statuses == [200, 200, 503, 200, 503, 200])
    #expect(requests == ["/old.jpg", "/old.jpg", "/busy.jpg", "/new.jpg"])
    #expect(server.origin.requests.count == requests.count + 1)
  }

  @Test func `an original waiting for its decode still counts as in flight`() async throws {
    let held = Gate()
    let server = try await ServerFixture(
      ["/a.jpg": [.whole(Self.picture)], "/b.jpg": [.whole(Self.picture)]], maximumDecodes: 1,
      loading: { $0.governor = MemoryGovernor(maximumInFlight: Self.picture.count) })
    let decode = await Self.decode(server, until: held)

    async let waiting = server.get(server.thumb("/a.jpg"))
    await server.until { server.parts.decodes.pendingCount == 1 }
    let bytes = server.parts.governor.byteCountInFlight
    let refused = try await server.get(server.thumb("/b.jpg"))
    held.open()
    try await decode.value

    #expect(bytes == Self.picture.count)
    #expect(refused.status == 503)
    #expect(try await waiting.status == 200)
    #expect(try await server.get(server.thumb("/b.jpg")).status == 200)
  }

  @Test func `a full pixel check takes a decode slot`() async throws {
    let held = Gate()
    let server = try await ServerFixture(["/a.jpg": [.whole(Self.picture)]], maximumDecodes: 1)
    let decode = await Self.decode(server, until: held)

    let url = server.origin.url("/a.jpg")
    let load = Task { try await server.parts.pipeline.data(for: ImageRequest(url: url)) }
    await server.until { server.parts.decodes.pendingCount == 1 }
    held.open()
    try await decode.value

    #expect(try await load.value.byteCount == Self.picture.count)
  }

  @Test func `placeholder images take a decode slot and are cached`() async throws {
    let held = Gate()
    let waiting = with(WaitLimits()) { $0.maximumCount = 1 }
    let server = try await ServerFixture(
      ["/gone": [.whole([], status: 404)]], maximumDecodes: 1, waiting: waiting)
    let made = try await server.get(server.thumb("/gone", "w=20&h=20&placeholder=1"))
    // One runs, one waits, and there is no room for another.
    let decodes = (0..<2).map { _ in
      Task {
        try await server.parts.decodes.run(priority: LivePriority(), pixelCount: 1) {
          await held.wait()
        }
      }
    }
    await server.until { server.parts.decodes.pendingCount == 1 }

    let again = try await server.get(server.thumb("/gone", "w=20&h=20&placeholder=1"))
    let another = try await server.get(server.thumb("/gone", "w=21&h=20&placeholder=1"))
    held.open()
    for decode in decodes { try await decode.value }

    #expect(made.status == 200 && again.body == made.body)
    #expect(another.status == 404)
  }

  @Test func `a small image is decoded while a large one holds its slot`() async throws {
    let waiting = with(WaitLimits()) { $0.maximumCount = 10 }
    let gate = DecodeGate(maximum: 2, waiting: waiting)
    let (held, small) = (Gate(), Gate())

    // Two large ones: the second may not take the remaining slot.
    let large = (0..<2).map { _ in
      Task {
        try await gate.run(priority: .constant(.normal), pixelCount: 12_000_000) {
          await held.wait()
        }
      }
    }
    await Condition.until { gate.runningCount == 1 && gate.pendingCount == 1 }
    try await gate.run(priority: .constant(.normal), pixelCount: 100_000) { small.open() }
    #expect(gate.runningCount == 1)
    held.open()
    for task in large { try await task.value }

    #expect(gate.runningCount == 0 && gate.pendingCount == 0)
  }

  @Test func `draining answers requests in flight, and closes idle connections`() async throws {
    let gate = Gate()
    let server = try await ServerFixture(["/a.jpg": [Self.held(gate)]])
    let idle = try server.client("GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try await OffPool.run { idle.read(until: "ready\n") }
    async let answer = server.get(server.thumb("/a.jpg"))
    await server.until { server.origin.requests.count == 1 }

    async let ending = server.stop()
    let rest = try await OffPool.run { idle.readToEnd() }
    await server.until { (try? RawClient(port: server.port)) == nil }
    gate.open()

    #expect(rest.isEmpty)
    #expect(try await answer.status == 200)
    #expect(try await ending == .drained)
  }

  @Test func `a request that outlasts the drain is cut off`() async throws {
    let gate = Gate()
    let server = try await ServerFixture(
      ["/a.jpg": [.held([], gate)]], serving: { $0.listener.drainTime = .milliseconds(50) })
    let client = try server.client(
      "GET \(server.thumb("/a.jpg")) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await server.until { server.origin.requests.count == 1 }

    let ending = try await server.stop()
    gate.open()

    #expect(ending == .cut)
    #expect(try await OffPool.run { client.readToEnd() }.isEmpty)
  }
}
