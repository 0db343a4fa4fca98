import Foundation
import ImageCodecs
import ImageModel
import Testing

@testable import Typesetting
@testable import TestSupport

@Suite struct `The libraries that draw text` {
  @Test func `their absence is an error that names the packages`() throws {
    let libraries = [
      "libabsent-g.so.0", "libabsent-p.so.0", "libabsent-c.so.2", "libabsent-pc.so.0",
    ]

    let error = imageError { try TypesettingLibraries.load(libraries) }
    imageError { try Canvas(PixelSize(width: 10, height: 10), libraries: libraries) }

    #expect(error?.code == .libraryMissing && error?.code.rawValue == "library_missing")
    #expect(error?.message.contains("libabsent-g.so.0") == true)
    #expect(error?.message.contains("libpangocairo-1.0-0") == true)
    #expect(error?.message.contains("pango (Homebrew)") == true)
  }

  @Test func `a library without the functions is refused`() {
    #if canImport(Glibc)
      let other = "libc.so.6"
    #else
      let other = "libSystem.B.dylib"
    #endif

    imageError { try TypesettingLibraries.load([other, other, other, other]) }
  }
}

@Suite(.enabled(if: Fonts.canDraw, "needs Pango and a font")) struct `A canvas` {
  private let white = [UInt8](repeating: 255, count: 4)

  private func page(_ width: Int = 300, _ height: Int = 80) throws -> Canvas {
    let canvas = try Canvas(PixelSize(width: width, height: height))
    canvas.fill(canvas.bounds, .white)
    return canvas
  }

  private func pixels(of text: String, width: Double? = nil, lines: Int = 1) throws -> PixelBuffer {
    let canvas = try page()
    let style = with(TextStyle(size: 18)) { ($0.width, $0.lines) = (width, lines) }
    canvas.text(text, x: 10, y: 10, style)
    return try canvas.pixels()
  }

  @Test func `fills rectangles and draws images and lines where they are told to be`() throws {
    let canvas = try page(40, 40)
    canvas.fill(
      CanvasBox(x: 0, y: 0, width: 20, height: 10), PixelColor(red: 200, green: 10, blue: 0))
    canvas.image(
      SampleImages.flat(2, 2, [0, 90, 255, 255]),
      in: CanvasBox(x: 20, y: 20, width: 20, height: 20, radius: 6))
    canvas.line([(0, 15), (40, 15)], width: 2, .black, dashes: [10, 10])

    let pixels = try canvas.pixels()

    #expect(pixels[5, 5] == [200, 10, 0, 255] && pixels[25, 5] == white)
    #expect(pixels[30, 30] == [0, 90, 255, 255] && pixels[20, 20] == white)
    #expect(pixels[5, 15] == [0, 0, 0, 255] && pixels[15, 15] == white)
  }

  @Test(.enabled(if: Fonts.haveChinese, "needs a Chinese font"))
  func `Chinese is drawn, every text as itself`() throws {
    let canvas = try page()
    canvas.text("为什么有的人说话让人舒服", x: 0, y: 0, TextStyle(size: 16))

    #expect(canvas.missingGlyphs.hint == nil)
    #expect(try pixels(of: "知乎日报") != pixels(of: "瞎扯大误"))
    #expect(try pixels(of: "知乎日报") != pixels(of: ""))
  }

  @Test func `lines stay in their width and end with a mark`() throws {
    let long = String(repeating: "很长的标题 title ", count: 40)
    let canvas = try page()
    var style = TextStyle(size: 18)
    style.width = 120
    style.lines = 2

    let extent = canvas.text(long, x: 10, y: 5, style)
    let pixels = try canvas.pixels()

    #expect(extent.width <= 120 && extent.height > 36 && extent.height < 70)
    for y in 0..<80 { #expect(pixels[140, y] == white) }
    style.lines = 1
    #expect(canvas.extent(of: long, style).height < extent.height)
  }

  @Test(arguments: [
    "a\u{0}\u{1}\u{1B}[2Jb\r\nc\u{85}d\u{2028}e", "\u{202E}gpj.exe\u{202C}", "\u{2067}x", "👩‍👩‍👧 🏳️‍🌈",
    "\u{FFFD}",
    "e" + String(repeating: "\u{301}", count: 10_000), String(repeating: "题", count: 10_000),
    String(repeating: "W", count: 10_000), "\u{10FFFF}\u{E000}", "",
    String(decoding: [0xC3, 0x28, 0xFF, 0xE7, 0x9F], as: UTF8.self), "&<>\"'%s%n",
  ])
  func `any text is drawn without a failure, within a line's height`(text: String) throws {
    let canvas = try page()
    let style = with(TextStyle(size: 18)) { $0.width = 200 }

    let extent = canvas.text(text, x: 10, y: 10, style)

    #expect(extent.width <= 200 && extent.height < 80)
    _ = try canvas.pixels()
  }

  @Test func `control characters and marks of direction draw nothing of their own`() throws {
    #expect(try pixels(of: "a\u{202E}bc\u{2066}d\u{200F}") == pixels(of: "abcd"))
    #expect(try pixels(of: "a\nb\u{0}c\u{2029}d") == pixels(of: "a b c d"))
  }

  @Test func `a page without pixels, or with too many, is an error`() {
    for (width, height, scale) in [
      (0, 10, 1.0), (10, -1, 1), (40_000, 10, 1), (20_000, 10, 2), (30_000, 30_000, 1),
      (.max, .max, 1), (10, 10, 0), (10, 10, .nan), (10, 10, .infinity),
    ] {
      imageError("\(width)x\(height) at \(scale)") {
        try Canvas(PixelSize(width: width, height: height), scale: scale)
      }
    }
  }

  @Test func `a PDF has its pages, and an image as the JPEG it was given`() throws {
    let canvas = try Canvas(PixelSize(width: 400, height: 200), output: .pdf)
    let image = SampleImages.flat(64, 64, [9, 120, 40, 255])
    let jpeg = try ImageCodecs.encodeJPEG(image)
    for page in 1...3 {
      if page > 1 { try canvas.beginPage(PixelSize(width: 400, height: 100 * page)) }
      canvas.text("page \(page)", x: 10, y: 10, TextStyle(size: 20))
      canvas.image(image, in: CanvasBox(x: 10, y: 50, width: 40, height: 40), jpeg: jpeg)
    }

    let bytes = try canvas.pdf()

    #expect(bytes.starts(with: Array("%PDF".utf8)))
    #expect(bytes.firstRange(of: jpeg) != nil)
    #expect(bytes.firstRange(of: Array("/Count 3".utf8)) != nil)
    #expect(bytes.count < 1_000_000)
  }
}
