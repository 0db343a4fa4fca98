import Foundation
import Testing
import TextEncodings

@testable import DiskCaching
@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `The /info route` {
  @Test func `gives an image's format, size and cache record`() async throws {
    let body = SampleImages.widePhoto
    let server = try await ServerFixture([
      "/a.jpg": [.whole(body, fields: ["Cache-Control: max-age=600", "ETag: \"1\""])]
    ])
    let target = server.image("/a.jpg").replacing("/image", with: "/info")

    let answer = try await server.get(target)
    let head = try await server.exchange("HEAD", target)
    let told = try answer.object()

    #expect(answer.status == 200)
    #expect(answer["content-type"] == "application/json")
    #expect(head["content-length"] == answer["content-length"])
    #expect(told["format"] as? String == ImageFormat(sniffing: body.span.bytes)?.rawValue)
    #expect(told["bytes"] as? Int == body.count)
    let hash = body.withUnsafeBytes { SHA256.hash(of: $0).hex }
    #expect(told["sha256"] as? String == hash)
    #expect(told["frames"] as? Int == 1)
    #expect(told["loop_count"] as? Int != nil)
    #expect(told["orientation"] as? Int == 1)
    #expect((told["thumbhash"] as? String)?.isEmpty == false)
    #expect((told["main_color"] as? String)?.hasPrefix("#") == true)
    let record = try #require(told["record"] as? [String: Any])
    #expect(record["etag"] as? String == "\"1\"")
    #expect(record["status"] as? Int == 200)
    #expect(server.origin.requests.count == 1)
  }

  @Test func `decodes an image without a known placeholder once and stores it`() async throws {
    let server = try await ServerFixture()
    let url = server.origin.url("/a.jpg")
    var record = CacheRecord(key: .original(url: url), at: server.clock.now)
    record.format = .jpeg
    record.headers = HeaderText([.cacheControl: "max-age=600"])
    try await server.cache.store(SampleImages.widePhoto, record)

    let told = try await server.get(server.image("/a.jpg").replacing("/image", with: "/info"))
      .object()

    let kept = try #require(await server.cache.record(for: record.key))
    #expect(!kept.thumbHash.isEmpty && kept.dominantColor != nil)
    #expect(told["thumbhash"] as? String == Base64.encoded(kept.thumbHash))
    let described = try #require(told["record"] as? [String: Any])
    #expect(described["thumbhash"] as? String == Base64.encoded(kept.thumbHash))
    #expect(server.origin.requests.isEmpty)
  }

  @Test func `is permitted for the same images as /image`() async throws {
    let server = try await ServerFixture(
      ["/text": [.text("no image")]],
      serving: { $0.signingKeys = [SigningKey(name: nil, secret: [1, 2, 3])] })
    let signer = URLSigner(keys: [SigningKey(name: nil, secret: [1, 2, 3])])
    func info(_ url: String) -> String { "/info?url=\(QueryPairs.encoded(url))" }

    let unsigned = try await server.get(info(server.origin.url("/text")))
    let elsewhere = try await server.get(try signer.sign(info("http://a.b/c.jpg")))
    let text = try await server.get(try signer.sign(info(server.origin.url("/text"))))
    let posted = try await server.exchange("POST", info("http://a.b/"))

    #expect(unsigned.status == 403)
    #expect(elsewhere.status == 403)
    #expect(text.status == 415)
    #expect(posted.status == 405)
  }
}
