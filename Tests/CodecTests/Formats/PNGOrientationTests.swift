import ImageModel
import Testing

@testable import ImageCodecs
@testable import TestSupport

@Suite struct `PNG orientation` {
  typealias Builder = `Animated PNG`.Builder

  static let stored = SampleImages.gradient(40, 24)

  static func chunk(orientation: Int) -> [UInt8] {
    // The segment of a JPEG without marker, length and name.
    SamplePNG.chunk("eXIf", Array(SampleImages.exif(orientation: UInt8(orientation)).dropFirst(10)))
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
      result += SamplePNG.chunk(name, body)
    }
    return result
  }

  @Test(arguments: 1...8)
  func `an orientation in eXIf is applied exactly once, also where rows are interlaced`(
    orientation: Int
  ) throws {
    let small = SampleImages.gradient(3, 2)
    for (stored, plain) in [
      (Self.stored, try ImageCodecs.encodePNG(Self.stored)), (small, Self.interlaced(small)),
    ] {
      let bytes = Self.png(
        plain, inserting: Self.chunk(orientation: orientation), before: "IDAT")
      let upright = stored.upright(Orientation(orientation))
      let info = try ImageCodecs.check(bytes.span.bytes, level: .decode).info

      #expect(info.orientation == orientation && info.size == upright.size)
      #expect(try ImageCodecs.decode(bytes.span.bytes) == upright)
    }
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
    let options = with(DecodingOptions()) { $0.animatesPNG = isAnimated }

    let reader = try FrameReader(bytes.span.bytes, options: options)

    #expect(reader.info.size == Self.stored.size)
    #expect(try reader.next(of: bytes.span.bytes)?.pixels == Self.stored)
  }

  /// An interlaced PNG of 3 by 2 pixels, without compression.
  static func interlaced(_ pixels: PixelBuffer) -> [UInt8] {
    let passes: [[(x: Int, y: Int)]] = [[(0, 0)], [(2, 0)], [(1, 0)], [(0, 1), (1, 1), (2, 1)]]
    var rows: [UInt8] = []
    for pass in passes { rows += [0] + pass.flatMap { pixels[$0.x, $0.y] } }
    return SamplePNG(width: 3, height: 2, color: 6, isInterlaced: true).file(rows: rows)
  }
}
