import Foundation
import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

/// The client and the fetcher against a real store over HTTP.
///
/// These tests need moto of PyPI (`scripts/install-dependencies --for-ci` installs it).
@Suite(.needsMoto)
struct `A bucket of moto` {
  /// moto answers both as AWS does, and accepts the credentials that it gives.
  @Test func `takes credentials of a role, from STS and from the metadata of an instance`()
    async throws
  {
    let server = try await MotoServer(checksSignatures: false)
    let url = "http://127.0.0.1:\(server.port)"
    let scratch = try Scratch()
    for variables in [
      [
        "AWS_WEB_IDENTITY_TOKEN_FILE": try scratch.write("token", to: "token"),
        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/web", "AWS_ENDPOINT_URL_STS": url,
      ], ["AWS_EC2_METADATA_SERVICE_ENDPOINT": url],
    ] {
      let source = try #require(try RoleSource(environment: variables, region: "us-east-1"))
      let role = RoleCredentials(source, connectTime: .seconds(600))
      let client = try S3Client(
        S3Bucket("photos", endpoint: url, region: "us-east-1", style: nil, signer: .role(role)))

      try await client.put("a", [1])

      #expect(try await client.get("a").bytes == [1])
    }
  }

  @Test(.timeLimit(.minutes(5)))
  func `stores, returns, changes and deletes objects under its signature`() async throws {
    let server = try await MotoServer(checksSignatures: true)
    let client = try S3Client(server.bucket())
    let large = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    let meta = try #require(HTTPField.Name("x-amz-meta-url"))

    for (key, body) in [
      ("a.jpg", Array("first".utf8)), ("a b/../c//d.", large), ("/leading", []), ("a?b#c", [0]),
    ] {
      let put = try await client.put(
        key, body, mediaType: "image/jpeg",
        fields: [meta: "https://example.org/", .cacheControl: "max-age=60"])
      let tag = try #require(put.head.fields[.eTag])
      let whole = try await client.get(key)
      let same = try await client.get(key, ifNoneMatch: tag)
      let since = try await client.get(key, ifModifiedSince: Date() + 3600)

      #expect(whole.bytes == body, "\(key)")
      #expect(whole.head.fields[.eTag] == tag)
      #expect(whole.head.fields[.contentType] == "image/jpeg")
      #expect(whole.head.fields[.cacheControl] == "max-age=60")
      #expect(whole.head.fields[meta] == "https://example.org/")
      #expect([same, since].map(\.head.status) == [304, 304])
    }
    let part = try await client.get("a b/../c//d.", range: 1_000_000..<1_000_010)
    let behind = await imageError { try await client.get("a.jpg", range: 5..<6) }
    try await client.put("a.jpg", Array("second".utf8))
    let second = try await client.get("a.jpg")
    try await client.delete("a.jpg")
    try await client.delete("a.jpg")
    let gone = await imageError { try await client.get("a.jpg") }

    #expect(part.head.status == 206)
    #expect(part.bytes == Array(large[1_000_000..<1_000_010]))
    #expect(behind?.status == 416)
    #expect(second.bytes == Array("second".utf8))
    #expect((gone?.cause as? S3Failure)?.code == "NoSuchKey")
  }

  @Test(.timeLimit(.minutes(5)))
  func `refuses other signatures, and names what is missing`() async throws {
    let server = try await MotoServer(checksSignatures: true)
    func code(_ bucket: S3Bucket) async throws -> String? {
      let client = try S3Client(bucket)
      let error = await imageError { try await client.get("none") }
      #expect(error?.message.contains(server.secretKey) == false)
      return (error?.cause as? S3Failure)?.code
    }

    #expect(try await code(server.bucket()) == "NoSuchKey")
    #expect(try await code(server.bucket("others")) == "NoSuchBucket")
    #expect(try await code(server.bucket(secretKey: "wrong")) == "SignatureDoesNotMatch")
    let unknown = try S3Bucket(
      "photos", endpoint: "http://127.0.0.1:\(server.port)",
      credentials: S3Credentials(accessKey: "AKIAUNKNOWN", secretKey: "wrong"))
    #expect(try await code(unknown) == "InvalidAccessKeyId")
  }

  @Test(.timeLimit(.minutes(5)))
  func `serves images by URL, with its name in the path or the host`() async throws {
    let server = try await MotoServer(checksSignatures: true)
    let client = try S3Client(server.bucket())
    let put = try await client.put("2026/a b.jpg", Array("image".utf8), mediaType: "image/jpeg")

    for style in S3Bucket.Style.allCases {
      let bucket = try server.bucket(style: style)
      let fixture = try FetcherFixture {
        $0.hostGuard.allowsPrivateNetworks = false
        $0.s3Buckets = [bucket]
      }
      let response = try await fixture.fetch("s3://photos/2026/a%20b.jpg")
      let unchanged = try await fixture.fetch("s3://photos/2026/a b.jpg") {
        $0.headers[.ifNoneMatch] = put.head.fields[.eTag]
      }
      let missing = await fixture.failure(of: "s3://photos/none")

      #expect(response.body.text == "image", "\(style)")
      #expect(response.head.mediaType == "image/jpeg")
      #expect(unchanged.head.status == 304)
      #expect(missing?.status == 404)
    }
  }

  @Test(.timeLimit(.minutes(10)))
  func `keeps its objects intact under a campaign`() async throws {
    let server = try await MotoServer(checksSignatures: false)
    let scratch = try Scratch()
    let keys = """
      [default]
      aws_access_key_id = \(server.accessKey)
      aws_secret_access_key = \(server.secretKey)

      """
    try keys.write(toFile: scratch / "keys", atomically: true, encoding: .utf8)
    var python = Tool(path: "/usr/bin/env")
    python.environment = [
      "CACHE_CAMPAIGN": Tool.buildFolder + "/CacheCampaign",
      // moto has no keys with line ends.
      "IMGCACHE_S3_PLAIN": "1",
      "IMGCACHE_S3":
        "photos=endpoint=http://127.0.0.1:\(server.port),credentials=\(scratch / "keys")",
    ]
    let script = SharedFixtures.packageRoot.appending(path: "Benchmarks/campaigns/s3")

    let outcome = try await python.run(["python3", "-B", script.path])

    #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
    #expect(outcome.output.contains("s3: keys 40"))
  }
}
