import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `Animated PNG` {
  /// Builds a file from PNG stills.
  struct Builder {
    var bytes: [UInt8]
    private var sequence: UInt32 = 0
    private let trailer: [UInt8]

    /// - Parameter still: The default picture; it is the first frame when `first` is given.
    init(still: [UInt8], frames: Int, plays: Int, first: [UInt8]?) {
      let chunks = Self.chunks(still)
      bytes = Array(still[..<8])
      trailer = SamplePNG.chunk("IEND", [])
      var seen = false
      for (type, body) in chunks where type != "IEND" {
        if type == "IDAT" && !seen {
          seen = true
          bytes += SamplePNG.chunk(
            "acTL", SamplePNG.bigEndian(UInt32(frames)) + SamplePNG.bigEndian(UInt32(plays)))
          if let first {
            bytes += SamplePNG.chunk("fcTL", SamplePNG.bigEndian(sequence) + first)
            sequence += 1
          }
        }
        bytes += SamplePNG.chunk(type, body)
      }
    }

    mutating func add(_ still: [UInt8], _ control: [UInt8]) {
      bytes += SamplePNG.chunk("fcTL", SamplePNG.bigEndian(sequence) + control)
      sequence += 1
      for (type, body) in Self.chunks(still) where type == "IDAT" {
        bytes += SamplePNG.chunk("fdAT", SamplePNG.bigEndian(sequence) + body)
        sequence += 1
      }
    }

    func finished() -> [UInt8] { bytes + trailer }

    static func control(
      _ width: UInt32, _ height: UInt32, left: UInt32 = 0, top: UInt32 = 0, delay: UInt16 = 50,
      disposal: UInt8 = 0, blend: UInt8 = 0
    ) -> [UInt8] {
      [width, height, left, top].flatMap(SamplePNG.bigEndian)
        + [UInt8(delay >> 8), UInt8(delay & 255), 3, 0xe8, disposal, blend]
    }

    static func chunks(_ png: [UInt8]) -> [(String, [UInt8])] {
      var result: [(String, [UInt8])] = []
      var at = 8
      while at + 12 <= png.count {
        let length = png[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
        let type = String(decoding: png[at + 4..<at + 8], as: UTF8.self)
        result.append((type, Array(png[at + 8..<at + 8 + length])))
        at += 12 + length
      }
      return result
    }
  }

  static func png(_ width: Int, _ height: Int, _ color: [UInt8]) throws -> [UInt8] {
    let options = with(EncodingOptions()) { $0.mayUsePalette = false }
    var picture = SampleImages.flat(width, height, color)
    // One pixel that is neither gray nor opaque keeps all files in one layout.
    picture.withMutableBytes { $0[3] = 254 }
    return try ImageCodecs.encodePNG(picture, options: options)
  }

  static func frames(_ bytes: [UInt8]) throws -> (ImageInfo, [AnimationFrame]) {
    let options = with(DecodingOptions()) { $0.animatesPNG = true }
    let reader = try FrameReader(bytes.span.bytes, options: options)
    return (reader.info, try reader.rest(of: bytes))
  }

  @Test(
    arguments: zip(
      [UInt8(0), 1, 2], [[200, 10, 20, 255], [0, 0, 0, 0], [10, 20, 200, 255]] as [[UInt8]]))
  func `the canvas after a frame follows its disposal`(disposal: UInt8, left: [UInt8]) throws {
    let blue = try Self.png(8, 8, [10, 20, 200, 255])
    var builder = Builder(still: blue, frames: 3, plays: 2, first: Builder.control(8, 8))
    builder.add(
      try Self.png(4, 4, [200, 10, 20, 255]),
      Builder.control(4, 4, left: 2, top: 2, disposal: disposal))
    builder.add(try Self.png(1, 1, [1, 2, 3, 255]), Builder.control(1, 1, blend: 1))

    let (info, frames) = try Self.frames(builder.finished())

    #expect(frames.count == 3)
    #expect(info.loopCount == 2)
    #expect(info.rawDelays == Array(repeating: .milliseconds(50), count: 3))
    #expect(frames[1].pixels[4, 4] == [200, 10, 20, 255])
    #expect(frames[2].pixels[4, 4] == left)
    #expect(frames[2].pixels[7, 7] == [10, 20, 200, 255])
  }

  @Test func `a translucent frame blends over the canvas, or replaces it`() throws {
    let blue = try Self.png(4, 4, [0, 10, 200, 255])
    let half = try Self.png(4, 4, [200, 10, 0, 128])
    for (blend, expected) in [(UInt8(0), [200, 10, 0, 128]), (1, [100, 10, 100, 255])] {
      var builder = Builder(still: blue, frames: 2, plays: 0, first: Builder.control(4, 4))
      builder.add(half, Builder.control(4, 4, blend: blend))

      let (_, frames) = try Self.frames(builder.finished())

      let difference = zip(frames[1].pixels[2, 2], expected).map { abs(Int($0) - $1) }.max()
      #expect(difference ?? 255 <= 1)
    }
  }

  @Test func `a default image outside the animation is shown only without it`() throws {
    var builder = Builder(
      still: try Self.png(4, 4, [9, 10, 11, 255]), frames: 1, plays: 0, first: nil)
    builder.add(try Self.png(4, 4, [77, 10, 11, 255]), Builder.control(4, 4))
    let bytes = builder.finished()

    let still = try ImageCodecs.decode(bytes.span.bytes)
    let (_, frames) = try Self.frames(bytes)

    #expect(still[2, 2] == [9, 10, 11, 255])
    #expect(frames.map { $0.pixels[2, 2] } == [[77, 10, 11, 255]])
  }

  @Test func `a frame outside the canvas is corrupt, and a cut file is truncated`() throws {
    let blue = try Self.png(4, 4, [0, 10, 200, 255])
    var outside = Builder(still: blue, frames: 2, plays: 0, first: Builder.control(4, 4))
    outside.add(blue, Builder.control(4, 4, left: 1))
    var whole = Builder(still: blue, frames: 2, plays: 0, first: Builder.control(4, 4))
    whole.add(blue, Builder.control(4, 4))
    let cut = Array(whole.finished().dropLast(20))

    let corrupt = imageError { try Self.frames(outside.finished()) }
    let truncated = imageError { try Self.frames(cut) }

    #expect(corrupt?.code == .corrupt)
    #expect(truncated?.code == .truncated)
  }
}
