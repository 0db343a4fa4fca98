import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `GIF with faults` {
  /// A file in pieces: its header, the blocks of two frames, the trailer.
  static func pieces() -> [[UInt8]] {
    var gif = SampleImages.GIF(9, 9, loops: 0)
    var pieces = [gif.bytes]
    for index in [UInt8(1), 2] {
      let before = gif.bytes.count
      gif.add(9, 9, index: index)
      // A graphic control has eight bytes.
      pieces += [Array(gif.bytes[before..<before + 8]), Array(gif.bytes[(before + 8)...])]
    }
    return pieces + [[0x3b]]
  }

  static func joined(_ pieces: [[UInt8]], stray: [UInt8], before index: Int) -> [UInt8] {
    Array(pieces[..<index].joined()) + stray + Array(pieces[index...].joined())
  }

  static let strays: [[UInt8]] = [[0xaa], Array("junk here".utf8), Array("a,b!c;d".utf8)]

  @Test(arguments: 1...5, strays)
  func `stray bytes between blocks are a warning`(index: Int, stray: [UInt8]) throws {
    let pieces = Self.pieces()
    let bytes = Self.joined(pieces, stray: stray, before: index)
    let whole = Array(pieces.joined())

    for level in ImageCheck.allCases { try ImageCodecs.check(bytes.span.bytes, level: level) }
    let reader = try FrameReader(bytes.span.bytes)
    var frames: [PixelBuffer] = []
    while let frame = try reader.next(of: bytes.span.bytes) { frames.append(frame.pixels) }

    #expect(frames == (try `GIF decoding`.frames(whole)))
    #expect(reader.info.rawDelays == (try ImageCodecs.info(of: whole.span.bytes).rawDelays))
    #expect(reader.fault == nil)
    #expect(reader.warnings == ["\(stray.count) stray bytes between blocks"])
  }

  @Test func `stray bytes that no block follows are damage`() throws {
    var pieces = Self.pieces()
    pieces[5] = Array("the rest is something else".utf8)
    let bytes = Array(pieces.joined())

    let error = #expect(throws: ImageError.self) {
      try ImageCodecs.check(bytes.span.bytes, level: .structure)
    }
    #expect(error?.code == .corrupt)
  }

  @Test func `a GIF with an overwritten frame is refused`() throws {
    var pieces = Self.pieces()
    pieces[2] = pieces[2].map { _ in 0xaa }
    let bytes = Array(pieces.joined())

    #expect(throws: ImageError.self) { try FrameReader(bytes.span.bytes) }
  }

  @Test func `stray bytes after a frame with missing pixels are damage`() throws {
    var pieces = Self.pieces()
    // The first block of codes becomes shorter and the last: the rest of it is stray.
    pieces[2][11] = 20
    pieces[2][11 + 20 + 1] = 0
    pieces[2][11 + 20 + 2] = 0xaa
    let bytes = Array(pieces.joined())

    let error = #expect(throws: ImageError.self) {
      try ImageCodecs.check(bytes.span.bytes, level: .decode)
    }
    #expect(error?.code == .corrupt)
    #expect(throws: ImageError.self) { try `GIF decoding`.frames(bytes) }
  }

  @Test func `stray bytes after too many codes are damage`() throws {
    var pieces = Self.pieces()
    // A block without its end swallows what follows.
    pieces[2][pieces[2].count - 1] = 30
    let bytes = Self.joined(
      pieces, stray: [UInt8](repeating: 1, count: 30) + [0, 0xaa], before: 3)

    #expect(throws: ImageError.self) { try ImageCodecs.check(bytes.span.bytes, level: .decode) }
  }
}
