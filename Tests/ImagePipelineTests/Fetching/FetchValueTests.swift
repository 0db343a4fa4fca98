import Foundation
import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel

@Suite struct `A token bucket` {
  @Test func `permits a burst at once, then its rate`() {
    var bucket = TokenBucket(rate: 10, capacity: 3, now: .zero)

    let burst = (0..<5).map { _ in bucket.consume(1, now: .zero) }
    let later = (1...10).map { bucket.consume(1, now: .milliseconds(50 * $0)) }

    #expect(burst == [true, true, true, false, false])
    #expect(later.filter(\.self).count == 5)
    #expect(bucket.delay(until: 1) == .milliseconds(100))
  }

  @Test func `refuses a request above its capacity without taking tokens`() {
    var bucket = TokenBucket(rate: 1, capacity: 2, now: .zero)

    let refused = bucket.consume(5, now: .zero)

    #expect(!refused)
    #expect(bucket.tokens == 2)
    bucket.refill(now: .seconds(100))
    #expect(bucket.tokens == 2)
    bucket.charge(3)
    #expect(bucket.delay(until: 1) == .seconds(2))
  }
}

@Suite struct `A transfer clock` {
  private func clock() -> TransferClock {
    var limits = FetchLimits()
    limits.connectTime = .seconds(5)
    limits.lowSpeedTime = .seconds(30)
    limits.totalTime = .seconds(300)
    return TransferClock(limits: limits)
  }

  private func check(
    _ clock: inout TransferClock, at second: Int64, connecting: Int64 = 1, sent: Int64 = 2,
    received: Int = 0, isPaused: Bool = false
  ) -> TransferClock.Fault? {
    let nano: Int64 = 1_000_000_000
    return clock.check(
      now: second * nano, addedAt: nano, connectingAt: connecting * nano, sentAt: sent * nano,
      movedByteCount: received, isPaused: isPaused)
  }

  @Test func `ends a transfer of less than 1 KiB in 30 s`() {
    var clock = clock()
    // 34 bytes a second never make 1024 in 30 s; a late burst does.
    let faults = (2...31).map { check(&clock, at: $0, received: Int($0 - 2) * 34) }
    #expect(faults.allSatisfy { $0 == nil })
    let late = check(&clock, at: 32, received: 30 * 34)
    #expect(late == .tooSlow)
    var other = self.clock()
    let saved = check(&other, at: 31, received: 1024)
    let again = check(&other, at: 60, received: 1024)
    let ended = check(&other, at: 61, received: 1500)
    #expect(saved == nil && again == nil)
    #expect(ended == .tooSlow)
  }

  @Test func `ends a transfer that does not connect in time, or at its total deadline`() {
    var (connecting, moving, paused) = (clock(), clock(), clock())
    let early = [
      check(&connecting, at: 5, sent: 0), check(&moving, at: 300, received: 1 << 20),
    ]
    let late = [check(&connecting, at: 6, sent: 0), check(&moving, at: 301, received: 1 << 21)]
    // Time when the receiver pauses the transfer does not count.
    let held = (1...9).map { check(&paused, at: 2 + 20 * $0, isPaused: true) }

    #expect(early + held == Array(repeating: nil, count: 11))
    #expect(late == [.connecting, .inAll])
  }
}

@Suite struct `A resumable download` {
  private let prefix = ResumableDownload.Prefix(
    validator: "\"v1\"", byteCount: 500, expectedByteCount: 1000)

  @Test(arguments: [
    ("bytes 500-999/1000", nil, ResumableDownload.Action.append),
    ("bytes 500-999/1000", "\"v1\"", .append), ("bytes 500-999/*", nil, .append),
    ("bytes 500-999/1000", "\"v2\"", .askAgain), ("bytes 499-999/1000", nil, .askAgain),
    ("bytes 500-999/1001", nil, .askAgain), ("bytes 500-999/999", nil, .askAgain),
    ("bytes 999-500/1000", nil, .askAgain), ("items 500-999/1000", nil, .askAgain),
    ("", nil, .askAgain),
  ])
  func `joins only the requested range`(
    range: String, tag: String?, action: ResumableDownload.Action
  ) {
    var download = ResumableDownload(prefix: prefix)
    var fields: HTTPFields = [.contentRange: range]
    fields[.eTag] = tag

    let judged = download.judge(status: 206, fields: fields)

    #expect(judged == action)
  }

  @Test(arguments: [
    (["ETag": "\"v2\""], "\"v2\""), (["ETag": "W/\"v2\""], nil), (["ETag": "v2"], nil), ([:], nil),
    (["ETag": "\"v2\"", "Content-Encoding": "gzip"], nil),
    (
      [
        "Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
      ], "Sun, 06 Nov 1994 08:48:37 GMT"
    ),
    (
      [
        "Last-Modified": "Sun, 06 Nov 1994 08:48:38 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
      ], nil
    ),
    (["ETag": "W/\"v\"", "Last-Modified": "Sun, 06 Nov 1994 08:48:37 GMT"], nil),
  ])
  func `uses only strong validators`(lines: [String: String], validator: String?) throws {
    var fields = HTTPFields()
    for (name, value) in lines { fields[try #require(HTTPField.Name(name))] = value }
    var download = ResumableDownload(prefix: prefix)

    let judged = download.judge(status: 200, fields: fields)

    #expect(judged == .restart(validator: validator))
  }
}

@Suite struct `A file fetcher` {
  @Test(
    arguments: [
      ("/a/b.jpg", "/a/b.jpg"), ("b.jpg", "b.jpg"), ("file:///a%20b/%E6%97%A5.jpg", "/a b/日.jpg"),
      ("file://localhost/a", "/a"), ("FILE:///a", "/a"), ("a:b.jpg", "a:b.jpg"), ("", nil),
      ("file://host/a", nil), ("http://x/a", nil), ("file://", nil),
    ] as [(String, String?)])
  func `finds the path of a file URL, and none of another one`(text: String, path: String?) {
    #expect(FileFetcher.path(of: text) == path)
  }

  @Test func `reads a file whole, within the limit`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(repeating: 7, count: 200_000).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }

    let response = try FileFetcher.response(to: "file://" + path, at: path)

    #expect(try response.body.bytes() == [UInt8](repeating: 7, count: 200_000))
    #expect(throws: ImageError.self) { try FileFetcher.read(path, maximumByteCount: 199_999) }
  }

  @Test func `names the file that cannot be read`() throws {
    for path in ["/nonexistent/a.jpg", "/tmp"] {
      let error = #expect(throws: ImageError.self) {
        try FileFetcher.response(to: path, at: path)
      }
      #expect(error?.code == .fileUnreadable)
    }
  }
}
