import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

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
