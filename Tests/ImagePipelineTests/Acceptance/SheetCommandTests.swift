import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel

/// `imgcache sheet` as a script drives it.
@Suite(.serialized, .enabled(if: Tool.isBuilt), .timeLimit(.minutes(15)))
struct `The sheet command` {
  private func picture(_ path: String) throws -> PixelBuffer {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    return try ImageCodecs.decode(bytes.span.bytes)
  }

  /// Whether a colour is somewhere on a page.
  private func shows(_ page: PixelBuffer, _ color: [UInt8]) -> Bool {
    stride(from: 0, to: page.bytes.count, by: 4)
      .contains { Array(page.bytes[$0..<$0 + 4]) == color }
  }

  @Test func `a day's images stand on one page, from the network or from the cache alone`()
    async throws
  {
    let origin = try ListOrigin(count: 5)
    let (cache, out) = (try Scratch(), try Scratch())
    let arguments = ["sheet", "latest", "--feed", origin.feed, "--cache-dir", cache / "cache"]

    let first = try await Tool.imgcache.run(arguments + ["-o", out / "day.png"])
    let requests = origin.pictureRequests.count
    origin.stop()
    let second = try await Tool.imgcache.run(arguments + ["-o", out / "again.png", "--offline"])

    #expect(first.status == 0 && requests == 5, "\(first.errors)")
    #expect(second.status == 0, "\(second.errors)")
    #expect(first.output.isEmpty && first.errors.contains("5 images"))
    let page = try picture(out / "day.png")
    for number in 0..<5 {
      #expect(shows(page, [UInt8(number * 37 % 256), UInt8(number * 91 % 256), 128, 255]))
    }
    #expect(try picture(out / "again.png") == page)
  }

  @Test func `URLs make a sheet as well, as JPEG where the name says so`() async throws {
    let origin = try ListOrigin(count: 3)
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())

    let outcome = try await Tool.imgcache.run(
      ["sheet"] + origin.urls + ["-o", out / "s.jpg", "--json", "--cache-dir", cache / "cache"])

    #expect(outcome.status == 0, "\(outcome.errors)")
    let object = try #require(outcome.objects().first)
    #expect(object["event"] as? String == "sheet" && object["file"] as? String == out / "s.jpg")
    #expect(object["images"] as? Int == 3 && object["missing"] as? Int == 0)
    let page = try picture(out / "s.jpg")
    #expect(object["width"] as? Int == page.width && object["height"] as? Int == page.height)
  }

  @Test func `what is missing shows the placeholder, is told, and is exit 1`() async throws {
    let origin = try ListOrigin(count: 3, missing: [1])
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let violet: [UInt8] = [200, 0, 250, 255]
    let placeholder = out / "none.png"
    try Data(ImageCodecs.encodePNG(SampleImages.flat(9, 9, violet)))
      .write(to: URL(fileURLWithPath: placeholder))
    let arguments = ["sheet", "latest", "--feed", origin.feed, "--cache-dir", cache / "cache"]

    let plain = try await Tool.imgcache.run(arguments + ["-o", out / "plain.png"])
    let filled = try await Tool.imgcache.run(
      arguments + ["-o", out / "filled.png", "--placeholder", placeholder])
    let broken = try await Tool.imgcache.run(
      arguments + ["-o", out / "x.png", "--placeholder", out / "absent.png"])

    #expect(plain.status == 1 && filled.status == 1 && broken.status == 1)
    #expect(plain.errors.contains(origin.urls[1]) && plain.errors.contains("1 of them missing"))
    #expect(!shows(try picture(out / "plain.png"), violet))
    #expect(shows(try picture(out / "filled.png"), violet))
    #expect(broken.errors.contains("absent.png"))
    #expect(!FileManager.default.fileExists(atPath: out / "x.png"))
    #expect(
      try await Tool.paths(of: [origin.urls[1]], in: cache) == nil, "a placeholder is never stored")
  }

  @Test func `more images than a page takes go on several, none of which is lost`() async throws {
    let origin = try ListOrigin(count: 7)
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())

    let outcome = try await Tool.imgcache.run([
      "sheet", "latest", "--feed", origin.feed, "--cache-dir", cache / "cache", "--per-page", "3",
      "-o", out / "s.png", "--cell", "32x32", "--json",
    ])

    #expect(outcome.status == 0, "\(outcome.errors)")
    let objects = try outcome.objects()
    #expect(objects.compactMap { $0["images"] as? Int } == [3, 3, 1])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: out.path).sorted()
        == ["s-01.png", "s-02.png", "s-03.png"])
    for number in 0..<7 {
      let page = try picture(out / "s-0\(number / 3 + 1).png")
      #expect(shows(page, [UInt8(number * 37 % 256), UInt8(number * 91 % 256), 128, 255]))
    }
  }

  @Test func `the feed that a day came from is remembered`() async throws {
    let origin = try ListOrigin(count: 2)
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let report = try await Tool.prefetch(cache, ["--feed", origin.feed])
    let day = try #require((report.summary["days"] as? [String])?.first)

    let outcome = try await Tool.imgcache.run([
      "sheet", day, "--offline", "--cache-dir", cache / "cache", "-o", out / "day.png",
    ])

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(FileManager.default.fileExists(atPath: out / "day.png"))
  }

  @Test func `misuse is exit 64, a day that cannot be had 1, a folder that is not there 2`()
    async throws
  {
    let origin = try ListOrigin(count: 1)
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let common = ["--cache-dir", cache / "cache", "-o"]

    for arguments in [
      ["nonsense"] + common + [out / "a.png"], ["latest"] + common + [out / "a.gif"],
      ["latest"] + Array(common.dropLast()), common + [out / "a.png"],
      ["latest", "--per-page", "0"] + common + [out / "a.png"],
      ["latest", "--per-page", "10000", "--cell", "2000x2000"] + common + [out / "a.png"],
      ["latest", "--cell", "4x4"] + common + [out / "a.png"],
      ["latest", "--quality", "0"] + common + [out / "a.jpg"],
      ["latest", "--sample", "--feed", "x"] + common + [out / "a.jpg"],
    ] {
      let outcome = try await Tool.imgcache.run(["sheet"] + arguments)
      #expect(outcome.status == 64, "\(arguments)")
      #expect(outcome.output.isEmpty && !outcome.errors.isEmpty)
    }
    let noDay = try await Tool.imgcache.run(
      ["sheet", "20200616", "--offline", "--api", "http://127.0.0.1:1/api/4/"] + common
        + [out / "a.png"])
    let noFolder = try await Tool.imgcache.run(
      ["sheet", "latest", "--feed", origin.feed] + common + [out / "absent/a.png"])

    #expect(noDay.status == 1 && noDay.errors.contains("20200616"))
    #expect(noFolder.status == 2 && noFolder.errors.contains("absent/a.png"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: out.path) == [])
  }
}
