import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TerminalGraphics
@testable import TestSupport

@Suite struct `Half blocks` {
  static let sizes = [(1, 1), (1, 2), (2, 1), (3, 3), (16, 9), (40, 40)].map {
    PixelSize(width: $0.0, height: $0.1)
  }

  private func screen(_ picture: PixelBuffer, _ blocks: HalfBlocks) -> TerminalScreen {
    var screen = TerminalScreen()
    screen.show(Array(blocks.lines(picture).joined(separator: [13, 10])))
    return screen
  }

  @Test(arguments: Self.sizes, [ColorDepth.full, .indexed])
  func `every pixel is to be seen in its colour, or in the nearest of 256`(
    size: PixelSize, depth: ColorDepth
  ) {
    let picture = SampleImages.gradient(size.width, size.height)

    let screen = screen(picture, HalfBlocks(depth: depth))

    for y in 0..<size.height {
      for x in 0..<size.width {
        let sample = picture[x, y]
        let color = PixelColor(red: sample[0], green: sample[1], blue: sample[2])
        let (red, green, blue) = (Int(sample[0]), Int(sample[1]), Int(sample[2]))
        #expect(
          screen.pixels(column: x, row: y / 2)[y % 2]
            == (depth == .full
              ? red << 16 | green << 8 | blue
              : TerminalScreen.indexed(Int(ColorDepth.index(of: color)))))
      }
    }
    if size.height % 2 == 1 {
      #expect(screen.pixels(column: 0, row: size.height / 2)[1] == nil)
    }
    #expect(screen.unknown == [] && screen.pen == TerminalScreen.Cell())
    #expect(screen.row == (size.height + 1) / 2 - 1 && screen.column == size.width)
  }

  @Test(arguments: 0..<16)
  func `what is transparent is left to the terminal, in whatever order it comes`(mask: Int) {
    var picture = SampleImages.gradient(2, 2)
    picture.withMutableBytes { raw in
      for pixel in 0..<4 where mask >> pixel & 1 == 1 { raw[4 * pixel + 3] = 0 }
    }

    let screen = screen(picture, HalfBlocks(depth: .full))

    for pixel in 0..<4 {
      let isThere = screen.pixels(column: pixel % 2, row: 0)[pixel / 2] != nil
      #expect(isThere == (mask >> pixel & 1 == 0))
    }
  }

  @Test func `half transparent pixels mix with the background where it is known`() {
    let half = SampleImages.flat(1, 2, [200, 100, 0, 128])
    let faint = SampleImages.flat(1, 2, [200, 100, 0, 60])

    let known = HalfBlocks(depth: .full, background: PixelColor(red: 0, green: 100, blue: 200))
    let unknown = HalfBlocks(depth: .full)

    #expect(screen(half, known).pixels(column: 0, row: 0) == [0x646464, 0x646464])
    #expect(screen(half, unknown).pixels(column: 0, row: 0) == [0xC86400, 0xC86400])
    #expect(screen(faint, unknown).pixels(column: 0, row: 0) == [nil, nil])
    #expect(screen(faint, known).pixels(column: 0, row: 0)[0] != nil)
  }

  @Test func `a colour is written only where it changes`() {
    let flat = HalfBlocks(depth: .full).lines(SampleImages.flat(50, 2, [1, 2, 3, 255]))[0]

    #expect(flat.count { $0 == 0x1B } == 2)
  }

  @Test func `without colours there are none, and light is ink`() {
    let blocks = HalfBlocks(depth: .none)
    let light = SampleImages.flat(8, 8, [255, 255, 255, 255])
    let dark = SampleImages.flat(8, 8, [0, 0, 0, 255])
    let middle = SampleImages.flat(40, 40, [128, 128, 128, 255])
    let onPaper = HalfBlocks(depth: .none, background: .white)

    for picture in [light, dark, middle, SampleImages.translucent(20, 20)] {
      #expect(!blocks.lines(picture).joined().contains(0x1B))
    }
    #expect(screen(light, blocks).text(0) == "████████")
    #expect(screen(dark, blocks).texts == [])
    #expect(screen(dark, onPaper).text(0) == "████████")
    #expect(screen(SampleImages.flat(4, 4, [255, 255, 255, 0]), blocks).texts == [])
    let ink = blocks.lines(middle).joined(separator: [10])
    let text = String(decoding: Array(ink), as: UTF8.self)
    let dots = text.count { $0 == "▀" || $0 == "▄" } + 2 * text.count { $0 == "█" }
    // Half of the 1600 pixels, to what is lost at the edges.
    #expect((760...840).contains(dots))
  }
}

@Suite struct `Sixels` {
  private func picture(_ bytes: [UInt8]) throws -> SixelPicture {
    var screen = TerminalScreen()
    screen.show(bytes)
    #expect(screen.commands.count == 1)
    let command = try #require(screen.commands.first)
    #expect(command.kind == "P")
    return SixelPicture(command.body)
  }

  private func hundredths(_ color: [UInt8]) -> Int {
    color.prefix(3).reduce(0) { $0 << 8 | (Int($1) * 100 + 127) / 255 }
  }

  @Test(arguments: [(1, 1), (1, 6), (1, 7), (5, 13), (12, 12), (3, 40)])
  func `a picture of few colours is drawn pixel for pixel`(width: Int, height: Int) throws {
    var pixels = SampleImages.flat(width, height, [0, 0, 0, 255])
    let colors: [[UInt8]] = [
      [255, 0, 0, 255], [0, 128, 0, 255], [9, 99, 199, 255], [0, 0, 0, 0],
    ]
    pixels.withMutableBytes { raw in
      for at in 0..<width * height {
        let color = colors[(at * at + at / 3) % 4]
        for channel in 0..<4 { raw[4 * at + channel] = color[channel] }
      }
    }

    let drawn = try picture(Sixel.bytes(pixels))

    #expect(drawn.isSound && drawn.width == width && drawn.height == height)
    #expect(drawn.parameters == "0;1;0")
    for y in 0..<height {
      for x in 0..<width {
        let expected = pixels[x, y][3] == 0 ? nil : hundredths(pixels[x, y])
        #expect(drawn.pixels[[x, y]] == expected, "\(x), \(y)")
      }
    }
    #expect(drawn.pixels.keys.allSatisfy { $0[0] < width && $0[1] < height })
  }

  @Test func `a picture of many colours is drawn in the nearest of its palette`() throws {
    let pixels = SampleImages.gradient(97, 61)
    let indexed = try IndexedImage(reducing: pixels)

    let drawn = try picture(Sixel.bytes(pixels))

    #expect(indexed.palette.count > 200)
    for y in 0..<61 {
      for x in 0..<97 {
        let color = indexed.palette[Int(indexed.indices[y * 97 + x])]
        #expect(drawn.pixels[[x, y]] == hundredths([color.red, color.green, color.blue]))
      }
    }
  }

  @Test func `equal columns are counted, not repeated`() throws {
    let bytes = try Sixel.bytes(SampleImages.flat(500, 6, [255, 255, 255, 255]))

    #expect(String(decoding: bytes, as: UTF8.self).contains("!500~"))
    #expect(bytes.count < 60)
  }

  @Test func `a picture that is transparent everywhere draws nothing`() throws {
    let drawn = try picture(Sixel.bytes(PixelBuffer(clear: PixelSize(width: 9, height: 9))))

    #expect(drawn.isSound && drawn.pixels.isEmpty && drawn.width == 9)
  }
}

@Suite struct `Kitty graphics` {
  @Test(arguments: [0, 1, 3071, 3072, 3073, 6144, 50_000])
  func `the bytes arrive whole, in pieces of at most four thousand`(count: Int) throws {
    let bytes = (0..<count).map { UInt8($0 & 255) }
    var screen = TerminalScreen()

    screen.show(KittyGraphics.bytes(png: bytes, id: 7, rows: 3))

    var text = ""
    for (number, command) in screen.commands.enumerated() {
      let parts = command.body.dropFirst().split(
        separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
      let keys = Set(parts[0].split(separator: ","))
      #expect(command.kind == "_" && command.body.first == "G")
      #expect(parts[1].utf8.count <= 4096 && (parts[1].utf8.count % 4 == 0))
      #expect(keys.contains("q=2"))
      #expect(keys.contains(number == screen.commands.count - 1 ? "m=0" : "m=1"))
      #expect(keys.isSuperset(of: ["a=T", "f=100", "C=1", "i=7", "p=1", "r=3"]) == (number == 0))
      text += parts[1]
    }
    #expect(Data(base64Encoded: text) == Data(bytes))
    let own = String(decoding: KittyGraphics.bytes(png: bytes), as: UTF8.self)
    #expect(!own.contains("i=") && !own.contains("r="))
  }
}

@Suite struct `A picture on its area` {
  @Test(arguments: GraphicsMethod.allCases, [0, 12, 23])
  func `is drawn at its place, and the cursor ends below it`(
    method: GraphicsMethod, start: Int
  ) throws {
    let profile = TerminalProfile(
      columns: 80, rows: 24, cell: PixelSize(width: 10, height: 20), method: method)
    let picture = SampleImages.gradient(40, 30)
    let layout = ImageLayout(picture.size, columns: 80, rows: 23, on: profile)
    let area = ScreenArea(rows: layout.rows)
    var screen = TerminalScreen()
    screen.show(Array(repeating: 10, count: start))

    let scaled = try Resize(layout.pixels, fit: .fill, enlarges: true).process(picture)
    let bytes = try ImageWriter(profile).bytes(scaled, layout)
    screen.show(area.opening)
    let top = screen.row
    screen.show(area.frame(bytes) + area.frame(bytes))
    #expect(screen.row == top && screen.column == 0)
    screen.show(area.closing)

    #expect(screen.row == top + layout.rows && screen.column == 0)
    #expect(screen.unknown == [] && screen.pen == TerminalScreen.Cell())
    switch method {
    case .blocks: #expect(screen.pixels(column: 0, row: top)[0] == 0x000000)
    case .sixel, .kitty:
      #expect(screen.commands.allSatisfy { $0.row == top && $0.column == 0 })
      #expect(!screen.commands.isEmpty)
    }
  }

  @Test func `kitty is given every pixel and its alpha`() throws {
    let picture = SampleImages.translucent(20, 10)
    let profile = TerminalProfile(columns: 80, rows: 24, method: .kitty)
    var screen = TerminalScreen()

    let layout = ImageLayout(picture.size, columns: 80, rows: 23, on: profile)
    screen.show(try ImageWriter(profile).bytes(picture, layout))

    let text = try #require(screen.commands.first?.body.split(separator: ";").last)
    let png = [UInt8](try #require(Data(base64Encoded: String(text))))
    #expect(try ImageCodecs.decode(png.span.bytes) == picture)
    // The size of a cell is not known: the terminal scales to rows.
    #expect(screen.commands[0].body.contains(",r=1,"))
  }

  @Test func `a sixel frame of an animation takes away what shone through`() throws {
    let profile = TerminalProfile(columns: 80, rows: 24, method: .sixel)
    let layout = ImageLayout(PixelSize(width: 8, height: 8), columns: 80, rows: 23, on: profile)
    let writer = ImageWriter(profile)
    let clear = SampleImages.translucent(8, 8)
    let known = ImageWriter(
      TerminalProfile(columns: 80, rows: 24, method: .sixel, background: .black))

    #expect(try writer.bytes(clear, layout, id: 1).starts(with: Array("\u{1B}[J".utf8)))
    #expect(try writer.bytes(clear, layout).starts(with: Array("\u{1B}P".utf8)))
    #expect(
      try writer.bytes(SampleImages.gradient(8, 8), layout, id: 1)
        .starts(with: Array("\u{1B}P".utf8)))
    // Over a known background hardly anything is left transparent.
    #expect(try known.bytes(SampleImages.flat(8, 8, [9, 9, 9, 99]), layout, id: 1).count > 0)
  }

  @Test(arguments: [GraphicsMethod.kitty, .sixel])
  func `without colours graphics are grey`(method: GraphicsMethod) throws {
    let profile = TerminalProfile(columns: 80, rows: 24, method: method, depth: .none)
    let picture = SampleImages.quarters(6, 6)
    let layout = ImageLayout(picture.size, columns: 80, rows: 23, on: profile)
    var screen = TerminalScreen()

    screen.show(try ImageWriter(profile).bytes(picture, layout))

    let body = try #require(screen.commands.first).body
    if method == .sixel {
      let shown = SixelPicture(body).pixels.values
      #expect(!shown.isEmpty)
      #expect(shown.allSatisfy { $0 >> 16 == $0 & 255 && $0 >> 8 & 255 == $0 & 255 })
    } else {
      let text = try #require(body.split(separator: ";").last)
      let png = [UInt8](try #require(Data(base64Encoded: String(text))))
      let shown = try ImageCodecs.decode(png.span.bytes)
      #expect(PixelKernels.isGray(shown))
    }
  }
}

@Suite struct `The ring of progress` {
  private func whiteCount(_ share: Double) -> Int {
    let ring = ProgressRing.image(share: share, side: 20)
    return stride(from: 0, to: ring.bytes.count, by: 4)
      .count { ring.bytes[$0] == 255 && ring.bytes[$0 + 3] > 0 }
  }

  @Test func `closes with the share, from nothing to all`() {
    let counts = (0...100).map { whiteCount(Double($0) / 100) }
    let ring = ProgressRing.image(share: 1, side: 20)

    #expect(counts[0] == 0 && counts == counts.sorted())
    #expect(
      counts[100] == stride(from: 3, to: ring.bytes.count, by: 4).count { ring.bytes[$0] > 0 })
    #expect(abs(counts[50] * 2 - counts[100]) <= 4)
  }
}

@Suite struct `Columns of text` {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("加载中...", 9), ("한글", 4), ("ﾃ", 1), ("テ", 2), ("e\u{301}", 1), ("😀", 2),
    ("🚀", 2),
    ("🪐", 2), ("a\u{1AB0}\u{20D0}\u{FE0F}\u{FE20}\u{200D}", 1),
  ])
  func `wide letters count twice, combining ones not`(text: String, columns: Int) {
    #expect(TextColumns.count(text) == columns)
  }
}
