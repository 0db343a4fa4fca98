import Testing

@testable import TestSupport

@Suite struct `An unsatisfiable range in the proxy` {
  /// A 416 with the lifetime of the image could be reused by a cache in front for every other
  /// range, and for the whole; the server of thumbnails sends such a problem without these fields.
  @Test func `is answered without the lifetime and the validators of the stored response`()
    async throws
  {
    let (proxy, _) = try await ProxyFixture.start([
      "/a": [
        .text(
          "0123456789",
          fields: ["Cache-Control: max-age=60", "ETag: \"1\"", "Content-Type: text/plain"])
      ]
    ])
    _ = try proxy.get("/a")

    let answer = try proxy.get("/a", ["Range: bytes=50-"])

    #expect(answer.status == 416)
    #expect(answer["content-range"] == "bytes */10")
    #expect(answer["cache-control"] == nil || answer["cache-control"] == "no-store")
    #expect(answer["etag"] == nil)
    #expect(answer["content-type"] == nil)
  }
}
