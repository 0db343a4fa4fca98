import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

/// Signatures as a store computes them from the wire bytes: AWS's own examples verify the
/// computation, which then verifies libcurl.
@Suite struct `A signature` {
  static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  @Test func `matches AWS's examples`() {
    let get = SignatureV4.signature(
      "GET", "/test.txt",
      [
        ("host", "examplebucket.s3.amazonaws.com"), ("range", "bytes=0-9"),
        ("x-amz-content-sha256", Self.emptyHash), ("x-amz-date", "20130524T000000Z"),
      ],
      signed: ["host", "range", "x-amz-content-sha256", "x-amz-date"],
      scope: "20130524/us-east-1/s3/aws4_request",
      secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    let put = SignatureV4.signature(
      "PUT", "/test%24file.text",
      [
        ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("host", "examplebucket.s3.amazonaws.com"),
        (
          "x-amz-content-sha256",
          "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
        ),
        ("x-amz-date", "20130524T000000Z"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
      ],
      signed: ["date", "host", "x-amz-content-sha256", "x-amz-date", "x-amz-storage-class"],
      scope: "20130524/us-east-1/s3/aws4_request",
      secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")

    #expect(get == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    #expect(put == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  /// Keys that clients, libraries and stores tend to change.
  static let keys = [
    "a.jpg", "a b", "a+b", "100%", "%41", "a?b#c", "\u{e9}", "e\u{301}", "😀/日本語", "/leading",
    "a//b/", "a/../b", "./a", "a/.", "a/..", "\t\n\u{7f}", "AZaz09-._~!$&'()*,;=:@\\",
    String(repeating: "é", count: 512),
  ]

  @Test(arguments: keys)
  func `is valid for a key of any Unicode, which is sent unchanged`(key: String) async throws {
    let path = "/photos" + (try S3Address(bucket: "photos", key: key)).path
    let store = try S3Origin([path: [.whole(Array("v".utf8), fields: ["ETag: \"1\""])]])
    let client = try store.client().client

    try await client.put(key, Array("body".utf8), mediaType: "image/png")
    let object = try await client.get(key, range: 0..<1, ifNoneMatch: "\"0\"")
    try await client.delete(key)

    #expect(object.bytes == Array("v".utf8))
    #expect(store.requests.map(\.method) == ["PUT", "GET", "DELETE"])
    #expect(store.requests.map(\.target) == [path, path, path])
    #expect(store.faults == [])
    let get = try #require(store.requests.dropFirst().first)
    #expect(get["range"] == "bytes=0-0")
    #expect(get["if-none-match"] == "\"0\"")
  }

  @Test func `is valid with fields, a session token, an empty body and a long one`() async throws {
    let store = try S3Origin(.whole([]))
    let client = try store.client(sessionToken: "t0ken/+=").client
    let fields: HTTPFields = [
      .cacheControl: "max-age=60,  private", .contentEncoding: "gzip",
      try #require(HTTPField.Name("x-amz-meta-url")): "https://example.org/a b",
    ]

    try await client.put("a", [], mediaType: "image/jpeg", fields: fields)
    try await client.put("a", [UInt8](repeating: 7, count: 60_000))
    _ = try await client.get("a")

    #expect(store.faults == [])
    #expect(
      store.requests.map { $0["x-amz-security-token"] } == .init(repeating: "t0ken/+=", count: 3))
    let put = try #require(store.requests.first)
    #expect(put["content-type"] == "image/jpeg")
    #expect(put["x-amz-meta-url"] == "https://example.org/a b")
    #expect(put["expect"] == nil)
    #expect(store.requests[1].body.count == 60_000)
    #expect(store.requests[1]["content-type"] == "application/octet-stream")
    // A handle that has signed does not sign or send a user name for other requests.
    #expect(store.requests.allSatisfy { !($0["authorization"] ?? "").contains("Basic") })
  }

  @Test(arguments: [
    [("Host", "h")], [("x-amz-date", "now")], [("Authorization", "a")], [("x-empty", "")],
    [("x-amz-meta-a", "1"), ("x-amz-meta-a-b", "2")],
    [("x-amz-meta-a1", "1"), ("x-amz-meta-a", "2")],
    [("content", "1")], [("x-twice", "1"), ("x-twice", "2")],
  ])
  func `is not made for fields that would invalidate it`(fields: [(String, String)]) async throws {
    let store = try S3Origin(.whole([]))
    let client = try store.client().client
    var sent = HTTPFields()
    for (name, value) in fields {
      sent.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }

    let error = await imageError { try await client.put("a", [1], fields: sent) }

    #expect(error?.code == .invalidArgument)
    #expect(store.requests.isEmpty)
  }

  @Test func `is removed from a handle before its next fetch`() async throws {
    let store = try S3Origin(["/photos/a": [.whole([1])], "/plain": [.whole([2])]])
    let bucket = try store.bucket()
    let fixture = try FetcherFixture { $0.s3Buckets = [bucket] }

    _ = try await fixture.fetch("s3://photos/a")
    _ = try await fixture.fetch(store.origin.url("/plain/../plain"))

    let plain = try #require(store.requests.last)
    #expect(plain.target == "/plain")
    #expect(plain["authorization"] == nil)
    #expect(plain.headers.allSatisfy { !$0.name.hasPrefix("x-amz-") })
  }
}
