import Foundation
import Testing
import TextEncodings

@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// What `imgcache info` prints: what can be shown before an image has loaded.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Placeholders of info` {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func info(_ arguments: [String]) async throws -> Tool.Outcome {
    try await Tool.run(["info"] + arguments, cache: scratch, in: scratch.path)
  }

  @Test func `files of every format have a ThumbHash and a dominant color`() async throws {
    let image = SampleImages.flat(40, 30, [200, 30, 60, 255])
    let png = try ImageCodecs.encodePNG(image)
    var gif = SampleImages.GIF(4, 4)
    gif.add(4, 4, index: 1)
    gif.add(4, 4, index: 2)
    try scratch.write(try ImageCodecs.encodeJPEG(image), to: "a.jpg")
    try scratch.write(png, to: "a.png")
    try scratch.write(gif.finished(), to: "a.gif")

    let outcome = try await info(["--json", "a.jpg", "a.png", "a.gif"])
    let text = try await info(["a.png"])

    #expect(outcome.status == 0, "\(outcome.errors)")
    let objects = try outcome.objects()
    #expect(objects.map { $0["format"] as? String } == ["jpeg", "png", "gif"])
    for object in objects {
      let hash = try #require((object["thumbhash"] as? String).flatMap(Base64.decoded))
      #expect(ThumbHash(bytes: hash) != nil)
      #expect(object["error"] == nil)
    }
    #expect(objects[1]["main_color"] as? String == "#c81e3c")
    let summary = try ImageSummary(of: image)
    #expect(objects[1]["thumbhash"] as? String == Base64.encoded(summary.thumbHash.bytes))
    #expect(objects[2]["frames"] as? Int == 2 && objects[2]["main_color"] as? String == "#ff0000")
    #expect(text.status == 0 && text.output.hasPrefix("a.png: png, 40x30"))
    #expect(text.output.hasSuffix(", main colour #c81e3c\n"))
  }

  @Test func `a damaged image has its header, the error, and exit 1`() async throws {
    let jpeg = try ImageCodecs.encodeJPEG(SampleImages.gradient(64, 48))
    try scratch.write(Array(jpeg.dropLast(100)), to: "cut.jpg")
    try scratch.write(jpeg, to: "whole.jpg")
    try scratch.write(Array("no image".utf8), to: "text")

    let outcome = try await info(["--json", "cut.jpg", "text", "whole.jpg"])

    #expect(outcome.status == 1)
    let objects = try outcome.objects()
    #expect(objects.map { $0["path"] as? String } == ["cut.jpg", "text", "whole.jpg"])
    let codes = objects.map { ($0["error"] as? [String: Any])?["code"] as? String }
    #expect(codes == ["truncated", "not_an_image", nil])
    #expect(objects[0]["width"] as? Int == 64 && objects[0]["thumbhash"] == nil)
    #expect(objects[1]["width"] == nil && objects[2]["thumbhash"] is String)
    #expect(outcome.errors.contains("cut.jpg") && outcome.errors.contains("text"))
  }

  @Test func `a URL's placeholder is in its record, once decoded`() async throws {
    let jpeg = try ImageCodecs.encodeJPEG(SampleImages.gradient(64, 48))
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    let (known, unknown) = ("https://example.com/known.jpg", "https://example.com/unknown.jpg")
    for url in [known, unknown] {
      var record = CacheRecord(key: .original(url: url), at: Date())
      record.format = .jpeg
      if url == known {
        // Not that of the pixels: the stored value is not computed again.
        record.thumbHash = try ImageSummary(of: SampleImages.flat(8, 8, [1, 2, 3, 255]))
          .thumbHash.bytes
        record.dominantColor = 0x010203
      }
      try await cache.store(jpeg, record)
    }

    let outcome = try await info(["--json", known, unknown])

    #expect(outcome.status == 0, "\(outcome.errors)")
    let objects = try outcome.objects()
    #expect(objects[0]["main_color"] as? String == "#010203")
    let kept = try #require(await cache.record(for: .original(url: unknown)))
    #expect(!kept.thumbHash.isEmpty)
    #expect(objects[1]["thumbhash"] as? String == Base64.encoded(kept.thumbHash))
    let color = try #require(kept.dominantColor)
    #expect(objects[1]["main_color"] as? String == "#" + Hex.encoded(color, digitCount: 6))
    #expect((objects[1]["record"] as? [String: Any])?["status"] as? Int == 200)
  }
}
