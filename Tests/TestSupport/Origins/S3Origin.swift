import Foundation

@testable import ImageFetching
@testable import ImageModel
@testable import SampleFeed

/// A store on loopback with scripted responses; see ``FaultyOrigin``. Its bucket is `photos`.
final class S3Origin: Sendable {
  static let accessKey = "AKIDEXAMPLE"
  static let secretKey = "s3cret/key+of=40"

  let origin: FaultyOrigin

  /// Starts with responses by the path on the wire.
  init(_ scripts: [String: [FaultyOrigin.Answer]] = [:]) throws {
    origin = try FaultyOrigin(scripts)
  }

  /// Starts with a script of the key `a`.
  convenience init(_ first: FaultyOrigin.Answer, _ others: FaultyOrigin.Answer...) throws {
    try self.init(["/photos/a": [first] + others])
  }

  /// The bucket, in the path.
  func bucket(_ name: String = "photos", sessionToken: String? = nil) throws -> S3Bucket {
    try S3Bucket(
      name, endpoint: origin.url(""),
      credentials: S3Credentials(
        accessKey: Self.accessKey, secretKey: Self.secretKey, sessionToken: sessionToken))
  }

  /// A client without waits between retries, and the recorded waits.
  func client(sessionToken: String? = nil) throws -> (client: S3Client, delays: Locked<[Duration]>)
  {
    let delays = Locked<[Duration]>([])
    var configuration = S3Client.Configuration()
    configuration.operationTime = .seconds(600)
    configuration.connectTime = .seconds(600)
    configuration.clock.chance = { 1 }
    configuration.clock.sleep = { delay in
      try Task.checkCancellation()
      delays.withLock { $0.append(delay) }
    }
    return (try S3Client(bucket(sessionToken: sessionToken), configuration), delays)
  }

  /// A fetcher that may reach a private address only through this bucket.
  func fetcher(store: (any PartialBodyStoring)? = nil) throws -> FetcherFixture {
    let bucket = try bucket()
    return try FetcherFixture(store: store) {
      $0.hostGuard.allowsPrivateNetworks = false
      $0.s3Buckets = [bucket]
    }
  }

  var requests: [LoopbackRequest] { origin.requests }

  /// The signature errors of the requests so far.
  var faults: [String] {
    requests.compactMap {
      SignatureV4.fault(in: $0, accessKey: Self.accessKey, secretKey: Self.secretKey)
    }
  }

  /// The document of an error.
  static func error(_ code: String, padding: Int = 0) -> [UInt8] {
    Array(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <Error><Code>\(code)</Code><Message>\(String(repeating: "x", count: padding))</Message></Error>
      """.utf8)
  }
}
