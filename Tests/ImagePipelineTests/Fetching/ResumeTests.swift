import HTTPTypes
import Testing

@testable import ImageFeeds
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `A broken transfer` {
  static let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  private func fetch(
    _ origin: FaultyOrigin, _ store: MemoryPartialStore, retries: Int = 0,
    meter: TransferMeter? = nil
  ) async throws -> FetchedResponse {
    try await FetcherFixture(store: store).fetch(origin.url("/")) {
      $0.resumes = true
      $0.maximumRetryCount = retries
      $0.meter = meter
    }
  }

  @Test(arguments: [false, true])
  func `is resumed by the next request from where it stopped`(
    byReset: Bool
  ) async throws {
    let origin = try FaultyOrigin(
      .brokenFile(Self.body, tag: "\"v1\"", after: 40_000, byReset: byReset),
      .file(Self.body, tag: "\"v1\""))
    let store = MemoryPartialStore()

    await imageError { try await fetch(origin, store) }
    // A reset may discard bytes in flight.
    let kept = store.bytes(of: origin.url("/"))?.count ?? 0
    #expect(byReset ? kept <= 40_000 : kept == 40_000)
    let meter = TransferMeter()
    let response = try await fetch(origin, store, meter: meter)

    #expect(try response.body.bytes() == Self.body)
    #expect(response.head.status == 200)
    #expect(response.head.fields[.contentLength] == "100000" || kept == 0)
    #expect(response.head.fields[.contentRange] == nil)
    #expect(response.receivedByteCount == 100_000 - kept)
    if kept > 0 {
      #expect(origin.requests.last?["range"] == "bytes=\(kept)-")
      #expect(origin.requests.last?["if-range"] == "\"v1\"")
    }
    #expect(!store.keepsPartial(of: origin.url("/")))
  }

  @Test func `is resumed by its retries, however often it breaks`() async throws {
    let origin = try FaultyOrigin(
      .brokenFile(Self.body, tag: "\"v1\"", after: 30_000),
      .brokenFile(Self.body, tag: "\"v1\"", after: 30_000),
      .file(Self.body, tag: "\"v1\""))
    let store = MemoryPartialStore()

    let response = try await fetch(origin, store, retries: 3)

    #expect(try response.body.bytes() == Self.body)
    #expect(response.receivedByteCount == 100_000)
    #expect(origin.requests.map { $0["range"] } == [nil, "bytes=30000-", "bytes=60000-"])
  }

  @Test func `restarts where the origin sends the whole body or another version`() async throws {
    let newer = Self.body.reversed().map(\.self)
    let origin = try FaultyOrigin(.file(newer, tag: "\"v2\""))
    let store = MemoryPartialStore()
    store.keep(Array(Self.body[..<500]), of: origin.url("/"), validator: "\"v1\"")

    let response = try await fetch(origin, store)

    #expect(try response.body.bytes() == newer)
    #expect(response.requestCount == 1)
    #expect(!store.keepsPartial(of: origin.url("/")))
  }

  @Test func `drops its prefix at 416 and requests the whole body`() async throws {
    let origin = try FaultyOrigin(.file(Self.body, tag: "\"v1\""))
    let store = MemoryPartialStore()
    store.keep(Self.body + [1], of: origin.url("/"), validator: "\"v1\"")

    let response = try await fetch(origin, store)

    #expect(try response.body.bytes() == Self.body)
    #expect(origin.requests.map { $0["range"] } == ["bytes=100001-", nil])
  }

  @Test func `keeps its prefix when the task is cancelled`() async throws {
    let gate = Gate()
    let head = FaultyOrigin.head(length: 100_000, fields: ["ETag: \"v1\""])
    let origin = try FaultyOrigin(.held(head + Self.body[..<50_000], gate))
    defer {
      gate.open()
      origin.stop()
    }
    let store = MemoryPartialStore()
    let meter = TransferMeter()

    let task = Task { try await fetch(origin, store, meter: meter) }
    await Condition.until { meter.reading.receivedByteCount == 50_000 }
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(store.bytes(of: origin.url("/")) == Array(Self.body[..<50_000]))
    #expect(store.openCount == 0)
  }

  @Test func `keeps its prefix through a response that is not a part of it`() async throws {
    let origin = try FaultyOrigin(.whole([1], status: 503), .whole([1], status: 404))
    let store = MemoryPartialStore()
    store.keep(Array(Self.body[..<500]), of: origin.url("/"), validator: "\"v1\"")

    for _ in 0..<2 { await imageError { try await fetch(origin, store) } }

    #expect(store.bytes(of: origin.url("/")) == Array(Self.body[..<500]))
    #expect(store.openCount == 0)
  }
}

@Suite struct `A long body` {
  @Test func `is written to a file in order, whatever its length`() async throws {
    let store = MemoryPartialStore()
    for count in [100_000, 131_072, 300_000, 3_000_000] {
      let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 2) }
      let origin = try FaultyOrigin(.file(body, tag: "\"v1\""))

      let response = try await FetcherFixture(store: store).fetch(origin.url("/")) {
        $0.resumes = true
      }

      #expect(try response.body.bytes() == body)
      #expect(response.receivedByteCount == count)
      if count > 1_000_000 { #expect(response.body.staged != nil, "it was not handed over") }
    }
  }

  @Test func `of a slow transfer is stored while it arrives`() async throws {
    let gate = Gate()
    let head = FaultyOrigin.head(length: 1000, fields: ["ETag: \"v1\""])
    let origin = try FaultyOrigin(
      .held(head + [UInt8](repeating: 1, count: 10), gate, [UInt8](repeating: 2, count: 990)))
    let store = MemoryPartialStore()
    let url = origin.url("/")
    let fixture = try FetcherFixture(store: store)

    let task = Task { try await fixture.fetch(url) { $0.resumes = true } }
    await Condition.until { store.bytes(of: url)?.count == 10 }
    gate.open()
    let response = try await task.value

    #expect(response.body.byteCount == 1000)
  }
}
