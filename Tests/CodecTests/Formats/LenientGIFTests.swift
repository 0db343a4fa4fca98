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
    let frames = try reader.rest(of: bytes).map(\.pixels)

    #expect(frames == (try `GIF decoding`.frames(whole)))
    #expect(reader.info.rawDelays == (try ImageCodecs.info(of: whole.span.bytes).rawDelays))
    #expect(reader.fault == nil)
    #expect(reader.warnings == ["\(stray.count) stray bytes between blocks"])
  }

  static let damaged: [(name: String, change: @Sendable (inout [[UInt8]]) -> Void)] = [
    ("no block follows stray bytes", { $0[5] = Array("the rest is something else".utf8) }),
    ("an overwritten frame", { $0[2] = $0[2].map { _ in 0xaa } }),
    (
      // The first block of codes becomes shorter and the last: the rest of it is stray.
      "stray bytes after missing pixels",
      { pieces in
        pieces[2][11] = 20
        pieces[2].replaceSubrange((11 + 20 + 1)...(11 + 20 + 2), with: [0, 0xaa])
      }
    ),
    (
      // A block without its end swallows what follows.
      "stray bytes after too many codes",
      { pieces in
        pieces[2][pieces[2].count - 1] = 30
        pieces.insert([UInt8](repeating: 1, count: 30) + [0, 0xaa], at: 3)
      }
    ),
  ]

  @Test(arguments: damaged.indices)
  func `other faults are damage`(index: Int) {
    var pieces = Self.pieces()
    Self.damaged[index].change(&pieces)
    let bytes = Array(pieces.joined())

    let error = imageError("\(Self.damaged[index].name)") {
      try ImageCodecs.check(bytes.span.bytes, level: .decode)
    }
    #expect(error?.code == .corrupt || error?.code == .truncated)
    imageError { try `GIF decoding`.frames(bytes) }
  }
}
