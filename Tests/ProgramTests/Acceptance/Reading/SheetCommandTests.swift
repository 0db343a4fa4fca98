import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// `imgcache sheet` as a script drives it.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `The sheet command` {
  private func picture(_ path: String) throws -> PixelBuffer {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    return try ImageCodecs.decode(bytes.span.bytes)
  }

  /// Whether a colour is somewhere on a page.
  private func shows(_ page: PixelBuffer, _ color: [UInt8]) -> Bool {
    Data(page.bytes).range(of: Data(color)) != nil
  }

  /// A feed with three titles, one of which is markup.
  private func titled() throws -> FeedOrigin {
    let titles = [
      "如何评价这部电影？", "<b>bold</b> \u{202E}\u{7}", String(repeating: "很长的标题", count: 2_000),
    ]
    let origin = try FeedOrigin(images: titles.indices.map { "\($0)" })
    let items = titles.enumerated().map { number, title in
      [
        "id": "\(number)", "title": title, "image": origin.image("\(number)"),
        "date_published": "2020-06-16T08:00:00+08:00",
      ]
    }
    origin.origin["/feed.json"] = [
      .whole([UInt8](try JSONSerialization.data(withJSONObject: ["items": items])))
    ]
    return origin
  }

  @Test func `a day's images are on a page, also offline`() async throws {
    let origin = try ListOrigin(count: 5)
    let (cache, out) = (try Scratch(), try Scratch())
    let sheet = ["sheet", "latest", "--feed", origin.feed, "-o"]

    let first = try await Tool.run(sheet + [out / "day.png"], cache: cache)
    let requests = origin.pictureRequests.count
    origin.stop()
    let second = try await Tool.run(sheet + [out / "again.png", "--offline"], cache: cache)

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
    let (cache, out) = (try Scratch(), try Scratch())

    let outcome = try await Tool.run(
      ["sheet"] + origin.urls + ["-o", out / "s.jpg", "--json"], cache: cache)
    let noFolder = try await Tool.run(
      ["sheet"] + origin.urls + ["-o", out / "absent/s.jpg"], cache: cache)

    #expect(outcome.status == 0, "\(outcome.errors)")
    let object = try #require(outcome.objects().first)
    #expect(object["event"] as? String == "sheet" && object["path"] as? String == out / "s.jpg")
    #expect(object["images"] as? Int == 3 && object["missing"] as? Int == 0)
    let page = try picture(out / "s.jpg")
    #expect(object["width"] as? Int == page.width && object["height"] as? Int == page.height)
    #expect(noFolder.status == 2 && noFolder.errors.contains("absent/s.jpg"))
  }

  @Test func `a PDF has all pages and its titles as text; HTML is one file`() async throws {
    let origin = try titled()
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let sheet = ["sheet", "latest", "--feed", origin.url("/feed.json"), "--json", "-o"]

    let pdf = try await Tool.run(sheet + [out / "day.pdf", "--per-page", "2"], cache: cache)
    let html = try await Tool.run(sheet + [out / "day.html"], cache: cache)

    #expect(pdf.status == 0 && html.status == 0, "\(pdf.errors) \(html.errors)")
    let object = try #require(pdf.objects().first)
    #expect(object["pages"] as? Int == 2 && object["images"] as? Int == 3)
    let bytes = try out.bytes(of: "day.pdf")
    #expect(bytes.starts(with: Array("%PDF".utf8)) && bytes.count < 2_000_000)
    #expect(bytes.firstRange(of: Array("/Count 2".utf8)) != nil)
    let page = try out.text(of: "day.html")
    #expect(page.components(separatedBy: "<img ").count == 4)
    #expect(page.contains("如何评价这部电影？") && !page.contains("<b>bold"))
    #expect(try html.objects().first?["path"] as? String == out / "day.html")
    if Fonts.haveChinese { #expect(!pdf.errors.contains("hint")) }

    let reader = Tool(path: "/usr/bin/pdftotext")
    guard Fonts.haveChinese, FileManager.default.fileExists(atPath: reader.path) else { return }
    let text = try await reader.run([out / "day.pdf", "-"])
    #expect(text.output.contains("如何评价这部电影？"))
    #expect(text.output.contains("<b>bold</b>"))
  }

  @Test func `without Pango and Cairo nothing is fetched, but HTML can be made`() async throws {
    let origin = try ListOrigin(count: 2)
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    // The loader finds this file first, and it is not a library.
    try cache.write([], to: "libpango-1.0.so.0")
    var tool = Tool.imgcache
    tool.environment["LD_LIBRARY_PATH"] = cache.path
    let arguments = [
      "sheet", "latest", "--feed", origin.feed, "--cache-dir", cache / "cache", "-o",
    ]

    let image = try await tool.run(arguments + [out / "day.png", "--json"])
    let requests = origin.pictureRequests.count
    let html = try await tool.run(arguments + [out / "day.html"])

    #expect(image.status == 2 && requests == 0)
    #expect(image.errors.contains("libpangocairo-1.0-0"))
    #expect(image.output.contains(#""code":"library_missing""#))
    #expect(html.status == 0, "\(html.errors)")
  }

  @Test func `what is missing shows the placeholder, is told, and is exit 1`() async throws {
    let origin = try ListOrigin(count: 3, missing: [1])
    let (cache, out) = (try Scratch(), try Scratch())
    let violet: [UInt8] = [200, 0, 250, 255]
    let placeholder = try out.write(
      ImageCodecs.encodePNG(SampleImages.flat(9, 9, violet)), to: "none.png")
    let sheet = ["sheet", "latest", "--feed", origin.feed, "-o"]

    let plain = try await Tool.run(sheet + [out / "plain.png"], cache: cache)
    let filled = try await Tool.run(
      sheet + [out / "filled.png", "--placeholder", placeholder], cache: cache)
    let broken = try await Tool.run(
      sheet + [out / "x.png", "--placeholder", out / "absent.png"], cache: cache)

    #expect(plain.status == 1 && filled.status == 1 && broken.status == 64)
    #expect(plain.errors.contains(origin.urls[1]) && plain.errors.contains("1 of them missing"))
    #expect(!shows(try picture(out / "plain.png"), violet))
    #expect(shows(try picture(out / "filled.png"), violet))
    #expect(broken.errors.contains("absent.png"))
    #expect(!out.has("x.png"))
    #expect(
      try await Tool.paths(of: [origin.urls[1]], in: cache) == nil, "a placeholder is never stored")
  }
}
