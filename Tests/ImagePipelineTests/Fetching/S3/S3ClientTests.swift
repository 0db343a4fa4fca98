import Foundation
import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `An S3 client` {
  private func failure(
    _ answer: FaultyOrigin.Answer..., key: String = "a"
  ) async throws -> (error: ImageError?, store: S3Origin, delays: [Duration]) {
    let store = try S3Origin(["/photos/\(key)": answer])
    let (client, delays) = try store.client()
    let error = await imageError { try await client.get(key) }
    return (error, store, delays.withLock { $0 })
  }

  @Test(arguments: [
    (403, "AccessDenied", "do not give access"),
    (403, "SignatureDoesNotMatch", "secret key does not belong"),
    (403, "InvalidAccessKeyId", "does not know the access key"),
    (403, "RequestTimeTooSkewed", "clock"), (400, "ExpiredToken", "session token"),
    (400, "AuthorizationHeaderMalformed", "another region than us-east-1"),
    (404, "NoSuchKey", "has no such key"), (404, "NoSuchBucket", "there is no bucket"),
    (409, "OperationAborted", "409 OperationAborted"),
  ])
  func `reports the store's error and the bucket, and no secret`(
    status: Int, code: String, words: String
  ) async throws {
    let (error, store, delays) = try await failure(.whole(S3Origin.error(code), status: status))

    let message = try #require(error?.message)
    #expect(error?.code == .httpStatus)
    #expect(error?.status == status)
    #expect((error?.cause as? S3Failure)?.code == code)
    #expect(message.hasPrefix("s3://photos/a: the store answered \(status) \(code)"))
    #expect(message.contains(words), "\(message)")
    #expect(words.contains("40") || message.contains("photos\" at http") || words == "clock")
    #expect(!"\(message) \(error.debugDescription)".contains(S3Origin.secretKey))
    #expect(!message.contains(S3Origin.accessKey))
    #expect(store.requests.count == 1)
    #expect(delays == [])
  }

  @Test func `waits as long as an overloaded store asks, and retries`() async throws {
    let store = try S3Origin(
      .whole(S3Origin.error("SlowDown"), status: 503, fields: ["Retry-After: 7"]),
      .whole(S3Origin.error("InternalError"), status: 500),
      .raw(Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1".utf8)),
      .whole([1], fields: ["ETag: \"1\""]))
    let (client, delays) = try store.client()

    let object = try await client.get("a")

    #expect(object.bytes == [1])
    #expect(object.head.fields[.eTag] == "\"1\"")
    #expect(store.requests.count == 4)
    #expect(delays.withLock { $0 } == [.milliseconds(7500), .seconds(1), .seconds(2)])
    // Each attempt has a signature of its own time.
    #expect(store.faults == [])
  }

  @Test func `gives up on a store that stays overloaded, or at its deadline`() async throws {
    let slow = FaultyOrigin.Answer.whole(S3Origin.error("SlowDown"), status: 503)
    let (error, store, _) = try await failure(slow)
    #expect((error?.cause as? S3Failure)?.code == "SlowDown")
    #expect(store.requests.count == 4)

    let hasty = try S3Origin(
      .whole(S3Origin.error("SlowDown"), status: 503, fields: ["Retry-After: 59"]))
    let client = try hasty.client().client
    let late = await imageError { try await client.get("a", deadline: .now + .seconds(30)) }
    let past = await imageError { try await client.put("a", [1], deadline: .now - .seconds(1)) }
    #expect(late?.retryAfter == .seconds(59))
    #expect(past?.code == .timedOut)
    #expect(hasty.requests.count == 1)
  }

  @Test func `ends at its deadline or with its task when the store is silent`() async throws {
    let gate = Gate()
    let store = try S3Origin(.held([], gate))
    let client = try store.client().client

    let error = await imageError { try await client.get("a", deadline: .now + .milliseconds(100)) }
    let task = Task { try await client.get("a") }
    await Condition.until { store.requests.count >= 2 }
    task.cancel()

    #expect(error?.code == .timedOut)
    await #expect(throws: CancellationError.self) { try await task.value }
    gate.open()
  }

  /// Documents without a valid error code.
  @Test(arguments: [
    Array("<Error><Code>Acc".utf8), Array("<Error><Code></Code></Error>".utf8),
    Array("<Code>AccessDenied</Code>".utf8), Array("AccessDenied".utf8), [],
    Array("<Error><Code>Access Denied \u{1b}[31m</Code></Error>".utf8),
    Array("<Error><Code>\(String(repeating: "A", count: 65))</Code></Error>".utf8),
    Array(repeating: UInt8(ascii: "<"), count: 100_000) + S3Origin.error("AccessDenied"),
    [0xFF, 0xFE, 0x00],
  ])
  func `reads no error code from a document without one`(body: [UInt8]) async throws {
    let (error, _, _) = try await failure(.whole(body, status: 403))

    #expect(error?.status == 403)
    #expect(error?.cause == nil)
    #expect(error?.message.contains("\u{1b}") == false)
    #expect(error?.message.contains("answered 403: the credentials") == true)
  }

  @Test
  func `reads the error code of a huge, a cut and a wrongly announced document`() async throws {
    let document = S3Origin.error("NoSuchKey", padding: 5 << 20)
    let cut = Array("HTTP/1.1 404 Not Found\r\nContent-Length: 9999\r\n\r\n".utf8)
    for answer in [
      FaultyOrigin.Answer.whole(document, status: 404),
      .raw(cut + S3Origin.error("NoSuchKey").prefix(80)),
    ] {
      let (error, _, _) = try await failure(answer)
      #expect(error?.status == 404)
      #expect((error?.cause as? S3Failure)?.code == "NoSuchKey")
    }

    let (error, _, _) = try await failure(
      .raw(Array("HTTP/1.1 404 Not Found\r\nContent-Length: 3 4\r\n\r\n".utf8)))
    #expect(error?.code == .protocolError)
  }

  @Test(arguments: [301, 302, 307, 308])
  func `follows no redirect, and names the bucket's region`(status: Int) async throws {
    let elsewhere = try FaultyOrigin(["/photos/a": [.whole([1])]])
    let (error, store, _) = try await failure(
      .whole(
        S3Origin.error("PermanentRedirect"), status: status,
        fields: ["Location: \(elsewhere.url("/photos/a"))", "x-amz-bucket-region: eu-west-1"]))

    #expect(error?.status == status)
    #expect(error?.message.contains("eu-west-1") == true)
    #expect(store.requests.count == 1)
    #expect(elsewhere.requests.isEmpty)
  }

  @Test func `gets a range, the whole object, or a 304`() async throws {
    let body = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
    let store = try S3Origin(.file(body, tag: "\"v1\""))
    let client = try store.client().client

    let part = try await client.get("a", range: 10..<20)
    let end = try await client.get("a", range: 990..<2000)
    let same = try await client.get("a", ifNoneMatch: "\"v1\"")
    let other = try await client.get("a", ifNoneMatch: "\"v0\"")
    let behind = await imageError { try await client.get("a", range: 1000..<1001) }
    let empty = await imageError { try await client.get("a", range: 5..<5) }

    #expect([part, end, same, other].map(\.head.status) == [206, 206, 304, 200])
    #expect(part.bytes == Array(body[10..<20]))
    #expect(end.bytes == Array(body[990...]))
    #expect(same.bytes.isEmpty)
    #expect(other.bytes == body)
    #expect(behind?.status == 416)
    #expect(empty?.code == .invalidArgument)
  }

  @Test(arguments: [
    "206 Partial Content\r\nContent-Range: bytes 11-20/1000\r\nContent-Length: 10",
    "206 Partial Content\r\nContent-Length: 10", "304 Not Modified", "204 No Content",
    "206 Partial Content\r\nContent-Range: bytes 10-29/1000\r\nContent-Length: 20",
  ])
  func `rejects a range other than the requested one`(head: String) async throws {
    let store = try S3Origin(.raw(Array("HTTP/1.1 \(head)\r\n\r\n12345678901234567890".utf8)))
    let client = try store.client().client

    let error = await imageError { try await client.get("a", range: 10..<20) }

    #expect(error != nil)
    #expect(error?.code == .protocolError || error?.status == 304)
  }

  @Test func `does not decode the bytes of an object`() async throws {
    let store = try S3Origin(.whole(Array("not gzip".utf8), fields: ["Content-Encoding: gzip"]))
    let client = try store.client().client

    let object = try await client.get("a")

    #expect(object.bytes == Array("not gzip".utf8))
    #expect(object.head.fields[.contentEncoding] == "gzip")
  }

  @Test func `treats deleting a missing object as success`() async throws {
    let store = try S3Origin([
      "/photos/a": [.whole([], status: 204), .whole(S3Origin.error("NoSuchKey"), status: 404)],
      "/photos/b": [.whole(S3Origin.error("NoSuchBucket"), status: 404)],
    ])
    let client = try store.client().client

    try await client.delete("a")
    try await client.delete("a")
    let error = await imageError { try await client.delete("b") }

    #expect((error?.cause as? S3Failure)?.code == "NoSuchBucket")
  }

  @Test func `refuses an object above its limit`() async throws {
    let store = try S3Origin(.whole([UInt8](repeating: 1, count: 2000)))
    var configuration = S3Client.Configuration()
    configuration.maximumByteCount = 1999
    let client = try S3Client(store.bucket(), configuration)

    let error = await imageError { try await client.get("a") }

    #expect(error?.code == .tooLarge)
  }
}
