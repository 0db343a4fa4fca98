import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `An image in a bucket` {
  static let body = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

  @Test func `is requested without fields that do not concern the store`() async throws {
    let store = try S3Origin(.whole([1]))
    let bucket = try store.bucket()
    let port = store.origin.port
    let fixture = try FetcherFixture {
      $0.s3Buckets = [bucket]
      $0.originHeaders = (try? OriginHeaders(["127.0.0.1:\(port): X-Key: 1"])) ?? $0.originHeaders
    }

    _ = try await fixture.fetch("s3://photos/a") {
      $0.referer = .exactly("https://example.org/")
      $0.headers[.authorization] = "Bearer 1"
      $0.headers[.cookie] = "a=b"
      $0.headers[.ifModifiedSince] = "Sun, 22 Nov 2026 00:00:00 GMT"
    }

    let request = try #require(store.requests.first)
    #expect(store.faults == [])
    for name in ["referer", "cookie", "x-key"] { #expect(request[name] == nil, "\(name)") }
    #expect(request["if-modified-since"] != nil)
  }

  @Test func `is not fetched from a bucket that is not configured`() async throws {
    let store = try S3Origin(["/other/a": [.whole([1])]])

    let error = await (try store.fetcher()).failure(of: "s3://other/a")
    let malformed = await (try store.fetcher()).failure(of: "s3://photos/a?b")

    #expect(error?.code == .hostNotAllowed)
    #expect(error?.message.contains("HTTPFetcher.Configuration.s3Buckets") == true)
    #expect(malformed?.code == .invalidURL)
    #expect(store.requests.isEmpty)
  }

  @Test func `is not reachable by a redirect of an http URL`() async throws {
    let store = try S3Origin([
      "/photos/a": [.whole([1])],
      "/b": [.whole([], status: 302, fields: ["Location: s3://photos/a"])],
    ])
    let bucket = try store.bucket()
    let fixture = try FetcherFixture { $0.s3Buckets = [bucket] }

    let error = await fixture.failure(of: store.origin.url("/b"))

    #expect(error?.code == .unsupportedScheme)
    #expect(store.requests.count == 1)
  }

  @Test func `is resumed where its transfer broke`() async throws {
    let store = try S3Origin(
      .brokenFile(Self.body, tag: "\"v1\"", after: 40_000), .file(Self.body, tag: "\"v1\""))
    let kept = MemoryPartialStore()
    let fixture = try store.fetcher(store: kept)

    let first = await fixture.failure(of: "s3://photos/a") { $0.resumes = true }
    let response = try await fixture.fetch("s3://photos/a") { $0.resumes = true }

    #expect(first?.code == .shortBody)
    #expect(try response.body.bytes() == Self.body)
    #expect(store.requests.last?["range"] == "bytes=40000-")
    #expect(store.requests.last?["if-range"] == "\"v1\"")
    #expect(store.faults == [])
  }
}

/// A connection that one transfer may make to a private address is kept, and another transfer that
/// may not finds it by the same name.
@Suite struct `A kept connection to a private address` {
  /// A name of 127.0.0.1 that is refused only when its address is known.
  private static let name = "127.1"

  @Test(arguments: ["/secret", "/photos/a", "/"])
  func `that the endpoint of a bucket has is used for no other URL`(path: String) async throws {
    let origin = try FaultyOrigin(["/photos/a": [.whole([1])]])
    origin[path] = [.whole([1])]
    let bucket = try S3Bucket(
      "photos", endpoint: "http://\(Self.name):\(origin.port)",
      credentials: S3Credentials(accessKey: S3Origin.accessKey, secretKey: S3Origin.secretKey))
    let fixture = try FetcherFixture {
      $0.hostGuard = HostGuard()
      $0.s3Buckets = [bucket]
    }

    _ = try await fixture.fetch("s3://photos/a")
    let error = await fixture.failure(of: "http://\(Self.name):\(origin.port)\(path)")
    let again = try await fixture.fetch("s3://photos/a")

    #expect(error?.code == .hostNotAllowed)
    #expect(error?.message.contains("leads to a private, loopback or reserved address") == true)
    #expect(again.body.byteCount == 1)
    #expect(origin.requests.map(\.path) == ["/photos/a", "/photos/a"])
  }

  @Test func `that an exempt spelling of its host has is used for no other spelling`() async throws
  {
    let origin = try FaultyOrigin(["/a": [.whole([1])]])
    let named = origin.url("/a")
    let fixture = try FetcherFixture { $0.hostGuard = HostGuard(exempting: [named]) }

    _ = try await fixture.fetch(named)
    let error = await fixture.failure(of: "http://\(Self.name):\(origin.port)/a")

    #expect(error?.code == .hostNotAllowed)
    #expect(origin.requests.count == 1)
  }
}
