import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `PNG orientation` {
  typealias Builder = `Animated PNG`.Builder

  static let stored = SampleImages.gradient(40, 24)

  static func chunk(orientation: Int) -> [UInt8] {
    // The segment of a JPEG without marker, length and name.
    Builder.chunk("eXIf", Array(SampleImages.exif(orientation: UInt8(orientation)).dropFirst(10)))
  }

  /// Inserts a chunk before the first one of a type.
  static func png(_ png: [UInt8], inserting chunk: [UInt8], before type: String) -> [UInt8] {
    var result = Array(png[..<8])
    var isDone = false
    for (name, body) in Builder.chunks(png) {
      if name == type, !isDone {
        result += chunk
        isDone = true
      }
      result += Builder.chunk(name, body)
    }
    return result
  }

  static func turned(_ x: Int, _ y: Int, _ orientation: Int, _ stored: PixelBuffer) -> [UInt8] {
    let place = `JPEG decoding`.stored(x, y, orientation, stored.size)
    return stored[place.0, place.1]
  }

  @Test(arguments: 1...8)
  func `an orientation in eXIf is applied exactly once`(orientation: Int) throws {
    let bytes = Self.png(
      try ImageCodecs.encodePNG(Self.stored), inserting: Self.chunk(orientation: orientation),
      before: "IDAT")

    let info = try ImageCodecs.info(of: bytes.span.bytes)
    let decoded = try ImageCodecs.decode(bytes.span.bytes)

    #expect(info.orientation == orientation)
    #expect(info.size == decoded.size)
    #expect(decoded.width == (orientation >= 5 ? 24 : 40))
    for (x, y) in [(0, 0), (5, 3), (decoded.width - 1, 1), (2, decoded.height - 1)] {
      #expect(decoded[x, y] == Self.turned(x, y, orientation, Self.stored))
    }
  }

  @Test(arguments: 1...8)
  func `a thumbnail is upright`(orientation: Int) throws {
    let bytes = Self.png(
      try ImageCodecs.encodePNG(Self.stored), inserting: Self.chunk(orientation: orientation),
      before: "IDAT")
    var recipe = ThumbnailRecipe(size: PixelSize(width: 12, height: 12))
    recipe.format = .png
    let upright = try ImageCodecs.decode(bytes.span.bytes)

    let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
    let plain = try ImageCodecs.encodePNG(upright)
    let expected = try ImageCodecs.thumbnail(of: plain.span.bytes, recipe: recipe)

    let pixels = try ImageCodecs.decode(made.bytes.span.bytes)
    let others = try ImageCodecs.decode(expected.bytes.span.bytes)
    #expect(pixels.difference(from: others) <= 2)
  }

  @Test func `an orientation behind the pixels, or with a wrong checksum, is ignored`() throws {
    let plain = try ImageCodecs.encodePNG(Self.stored)
    var wrong = Self.chunk(orientation: 6)
    wrong[wrong.count - 1] ^= 1

    for bytes in [
      Self.png(plain, inserting: Self.chunk(orientation: 6), before: "IEND"),
      Self.png(plain, inserting: wrong, before: "IDAT"),
    ] {
      for level in ImageCheck.allCases {
        #expect(try ImageCodecs.check(bytes.span.bytes, level: level).info.orientation == 1)
      }
      #expect(try ImageCodecs.decode(bytes.span.bytes) == Self.stored)
    }
  }

  @Test(arguments: [true, false])
  func `an animation is decoded without rotation`(isAnimated: Bool) throws {
    let still = Self.png(
      try ImageCodecs.encodePNG(Self.stored), inserting: Self.chunk(orientation: 6),
      before: "IDAT")
    let builder = Builder(still: still, frames: 1, plays: 0, first: Builder.control(40, 24))
    let bytes = builder.finished()
    var options = DecodingOptions()
    options.animatesPNG = isAnimated

    let reader = try FrameReader(bytes.span.bytes, options: options)

    #expect(reader.info.size == Self.stored.size)
    #expect(try reader.next(of: bytes.span.bytes)?.pixels == Self.stored)
  }

  /// An interlaced PNG of 3 by 2 pixels, without compression.
  static func interlaced(_ pixels: PixelBuffer) -> [UInt8] {
    let passes: [[(x: Int, y: Int)]] = [[(0, 0)], [(2, 0)], [(1, 0)], [(0, 1), (1, 1), (2, 1)]]
    var rows: [UInt8] = []
    for pass in passes {
      rows.append(0)
      for place in pass { rows += pixels[place.x, place.y] }
    }
    var low: UInt32 = 1
    var high: UInt32 = 0
    for byte in rows {
      low = (low + UInt32(byte)) % 65_521
      high = (high + low) % 65_521
    }
    let count = UInt8(rows.count)
    var body: [UInt8] = [0x78, 1, 1, count, 0, ~count, 0xff]
    body += rows
    body += Builder.big(high << 16 | low)
    let signature: [UInt8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
    let header: [UInt8] = Builder.big(3) + Builder.big(2) + [8, 6, 0, 0, 1]
    let chunks = [("IHDR", header), ("IDAT", body), ("IEND", [])]
    return signature + chunks.map { Builder.chunk($0.0, $0.1) }.joined()
  }

  @Test(arguments: 1...8)
  func `an interlaced image is rotated as well`(orientation: Int) throws {
    let stored = SampleImages.gradient(3, 2)
    let bytes = Self.png(
      Self.interlaced(stored), inserting: Self.chunk(orientation: orientation), before: "IDAT")

    let decoded = try ImageCodecs.decode(bytes.span.bytes)
    let checked = try ImageCodecs.check(bytes.span.bytes, level: .decode)

    #expect(checked.info.size == decoded.size)
    #expect(decoded.width == (orientation >= 5 ? 2 : 3))
    for y in 0..<decoded.height {
      for x in 0..<decoded.width {
        #expect(decoded[x, y] == Self.turned(x, y, orientation, stored))
      }
    }
  }
}
