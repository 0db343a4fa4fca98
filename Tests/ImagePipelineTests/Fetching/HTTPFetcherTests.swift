import Foundation
import HTTPTypes
import Testing

@testable import ImageFeeds
@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `A fetcher` {
  @Test func `returns the body, the fields and the metrics of one exchange`() async throws {
    let origin = try FaultyOrigin([
      "/a": [.whole(Array("picture".utf8), fields: ["ETag: \"v1\"", "X-Two: 1", "X-Two: 2"])]
    ])
    let meter = TransferMeter()

    let response = try await FetcherFixture().fetch(origin.url("/a")) { $0.meter = meter }

    #expect(response.head.status == 200)
    #expect(response.head.url == origin.url("/a"))
    #expect(response.head.fields[.eTag] == "\"v1\"")
    let two = try #require(HTTPField.Name("X-Two"))
    #expect(response.head.fields[values: two] == ["1", "2"])
    #expect(response.body.text == "picture")
    #expect(response.requestCount == 1)
    #expect(response.receivedByteCount == 7)
    #expect(try #require(response.requestTime) <= #require(response.responseTime))
    #expect(meter.reading.requestCount == 1 && meter.reading.receivedByteCount == 7)
  }

  @Test func `sends its User-Agent, identity encoding, and the caller's fields`() async throws {
    let origin = try FaultyOrigin(["/a": [.whole([1])]])
    let fixture = try FetcherFixture { $0.userAgent = "imgcache/9 (+test)" }

    _ = try await fixture.fetch(origin.url("/a")) {
      $0.headers = [.accept: "image/*", .cookie: "a=b"]
    }

    let request = try #require(origin.requests.first)
    #expect(request["user-agent"] == "imgcache/9 (+test)")
    #expect(request["accept-encoding"] == "identity")
    #expect(request.headers.filter { $0.name == "accept" }.map(\.value) == ["image/*"])
    #expect(request["cookie"] == "a=b")
    #expect(request["referer"] == nil)
  }

  @Test(arguments: [(200, 8), (5, 1)])
  func `runs many fetches at once, and the next as soon as one ends`(
    count: Int, maximum: Int
  ) async throws {
    let origin = try FaultyOrigin(
      Dictionary(
        uniqueKeysWithValues: (0..<count).map { ("/\($0)", [.whole(Array("body \($0)".utf8))]) }))
    let fixture = try FetcherFixture { $0.maximumTransfers = maximum }
    let texts = try await withThrowingTaskGroup(of: (Int, String).self) { group in
      for number in 0..<count {
        group.addTask { (number, try await fixture.fetch(origin.url("/\(number)")).body.text) }
      }
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    #expect(texts.count == count)
    #expect(texts.allSatisfy { $0.value == "body \($0.key)" })
    #expect(origin.usedConnectionCount <= maximum)
  }

  @Test func `returns no body for HEAD and 304`() async throws {
    let origin = try FaultyOrigin(["/a": [.file(Array("picture".utf8), tag: "\"v1\"")]])
    let fixture = try FetcherFixture()

    let head = try await fixture.fetch(origin.url("/a")) { $0.method = .head }
    let unchanged = try await fixture.fetch(origin.url("/a")) {
      $0.headers[.ifNoneMatch] = "\"v1\""
    }

    #expect(head.head.fields[.contentLength] == "7")
    #expect(head.body.byteCount == 0)
    #expect(unchanged.head.status == 304)
    #expect(unchanged.body.byteCount == 0)
  }

  @Test func `cancels the transfer itself when the task is cancelled`() async throws {
    let gate = Gate()
    let closed = Gate()
    let origin = try FaultyOrigin([
      "/slow": [
        .custom { _, connection in
          connection.send(FaultyOrigin.head(length: 100))
          gate.open()
          connection.waitForClose()
          closed.open()
          return false
        }
      ]
    ])
    let fixture = try FetcherFixture()

    let task = Task { try await fixture.fetch(origin.url("/slow")) }
    await gate.wait()
    task.cancel()

    await #expect(throws: CancellationError.self) { try await task.value }
    await closed.wait()
  }

  @Test func `keeps the total rate limit over all transfers`() async throws {
    let body = [UInt8](repeating: 7, count: 100_000)
    let origin = try FaultyOrigin(["/a": [.whole(body)]])
    let rate = 1_000_000
    let fixture = try FetcherFixture { $0.maximumByteRate = rate }
    let start = ContinuousClock.now

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let response = try await fixture.fetch(origin.url("/a"))
          #expect(response.body.byteCount == body.count)
        }
      }
      try await group.waitForAll()
    }

    // All but the burst of an eighth of a second, and one read of 64 KiB beyond it, came at the
    // rate.
    let least = Double(4 * body.count - rate / 8 - 65_536) / Double(rate)
    #expect(ContinuousClock.now - start >= .seconds(least))
  }
}
