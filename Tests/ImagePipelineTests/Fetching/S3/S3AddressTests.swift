import Testing

@testable import ImageModel

@Suite struct `An S3 address` {
  /// What a URL means, and its key on the wire.
  @Test(arguments: [
    ("s3://photos/a.jpg", "a.jpg", "/a.jpg"),
    ("S3://photos/a.jpg", "a.jpg", "/a.jpg"),
    ("s3://photos/2026/11/a b.jpg", "2026/11/a b.jpg", "/2026/11/a%20b.jpg"),
    ("s3://photos/a%20b", "a b", "/a%20b"),
    ("s3://photos/a+b", "a+b", "/a%2Bb"),
    ("s3://photos/100%25", "100%", "/100%25"),
    ("s3://photos/%2541", "%41", "/%2541"),
    ("s3://photos/a%3Fb%23c", "a?b#c", "/a%3Fb%23c"),
    ("s3://photos/\u{e9}", "\u{e9}", "/%C3%A9"),
    ("s3://photos/e\u{301}", "e\u{301}", "/e%CC%81"),
    ("s3://photos/%C3%A9", "\u{e9}", "/%C3%A9"),
    ("s3://photos/😀", "😀", "/%F0%9F%98%80"),
    ("s3://photos//leading", "/leading", "//leading"),
    ("s3://photos/a//b/", "a//b/", "/a//b/"),
    ("s3://photos/a/../b/./c", "a/../b/./c", "/a/../b/./c"),
    ("s3://photos/..a/...", "..a/...", "/..a/..."),
    ("s3://photos/%0A", "\n", "/%0A"),
    ("s3://photos/%2F", "/", "//"),
    (
      "s3://photos/AZaz09-._~!$&'()*,;=:@\\", "AZaz09-._~!$&'()*,;=:@\\",
      "/AZaz09-._~%21%24%26%27%28%29%2A%2C%3B%3D%3A%40%5C"
    ),
  ])
  func `has a key of exactly these bytes`(url: String, key: String, path: String) throws {
    let address = try S3Address(fetchable: url)

    #expect(address.bucket == "photos")
    #expect(Array(address.key.utf8) == Array(key.utf8))
    #expect(address.path == path)
    #expect(address.description == "s3://photos" + path)
    #expect(S3Address(address.description) == address)
  }

  @Test(arguments: [
    ("s3://photos/a?b", "%3F"), ("s3://photos/a#b", "%23"), ("s3://photos/100%", "%25"),
    ("s3://photos/%zz", "%25"), ("s3://photos/%FF", "UTF-8"), ("s3://photos/%00", "NUL"),
    ("s3://photos/a\nb", "control"), ("s3://photos/", "empty"), ("s3://photos", "s3://BUCKET/KEY"),
    ("s3://", "s3://BUCKET/KEY"), ("s3:///a", "bucket"), ("s3://-x/a", "bucket"),
    ("s3://a:b@photos/a", "bucket"), ("s3://photos:80/a", "bucket"), ("s3://é/a", "bucket"),
    ("http://photos/a", "s3://BUCKET/KEY"),
    // With the bucket in the path these could name another bucket.
    ("s3://photos/..", "out of the bucket"), ("s3://photos/../other/a", "out of the bucket"),
    ("s3://photos/a/../../other/a", "out of the bucket"),
    ("s3://photos/a//../../other", "out of the bucket"),
    ("s3://photos/%2E%2E/other", "out of the bucket"),
    ("s3://photos/./../other", "out of the bucket"),
  ])
  func `is refused with the reason`(url: String, reason: String) {
    let error = #expect(throws: ImageError.self) { try S3Address(fetchable: url) }

    #expect(error?.code == .invalidURL)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(S3Address(url) == nil)
  }

  @Test func `is not a reference that a page or a feed may use`() {
    let base = "https://example.org/page"

    #expect(WebURL.resolve("s3://photos/a.jpg", against: base) == nil)
    #expect(WebURL(base)?.resolving("s3://photos/a.jpg") == nil)
    #expect(WebURL.resolve("a.jpg", against: "s3://photos/page") == nil)
  }

  @Test func `has a key of at most 1024 bytes`() {
    #expect(S3Address("s3://photos/" + String(repeating: "é", count: 512)) != nil)
    #expect(S3Address("s3://photos/" + String(repeating: "é", count: 512) + "a") == nil)
  }
}
