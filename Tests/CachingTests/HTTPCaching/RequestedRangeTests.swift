import Testing

@testable import ImageModel

@Suite struct `A requested byte range` {
  @Test(
    arguments: [
      ("bytes=0-0", .from(0, through: 0)), ("bytes=5-9", .from(5, through: 9)),
      ("bytes=7-", .from(7, through: nil)), ("bytes=-3", .last(3)), ("bytes=-0", .last(0)),
      ("BYTES=1-2", .from(1, through: 2)), ("bytes = 1-2 ", .from(1, through: 2)),
      ("bytes=,1-2,,", .from(1, through: 2)), ("bytes=007-0010", .from(7, through: 10)),
      ("bytes=0-99999999999999999999", .from(0, through: .max)),
      ("bytes=-99999999999999999999", .last(.max)),
    ] as [(String, HTTPByteRange)])
  func `is read as RFC 9110 defines it`(text: String, range: HTTPByteRange) {
    #expect(HTTPByteRange(text) == range)
  }

  @Test(arguments: [
    "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=--1", "bytes=1", "bytes=2-1", "bytes=1-2-3",
    "bytes=a-b", "bytes=+1-2", "bytes=1-+2", "bytes=1 -2", "bytes=1- 2", "bytes=0x1-2", "items=0-1",
    "bytes=1-2,x", "bytes=1-2;3-4", "=1-2", "bytes=\u{661}-\u{662}", "bytes=1-2=",
  ])
  func `is ignored where it is malformed or of another unit`(text: String) {
    #expect(HTTPByteRange(text) == nil)
    #expect(HTTPByteRange.list(text) == nil)
  }

  @Test func `is one of several only in a list, in their order`() {
    let text = "bytes=9-12, 0-1 ,-4,,20-"

    #expect(HTTPByteRange(text) == nil)
    #expect(
      HTTPByteRange.list(text)
        == [.from(9, through: 12), .from(0, through: 1), .last(4), .from(20, through: nil)])
  }

  /// Each position is asked for by itself: slow, and hard to get wrong.
  static func positions(_ range: HTTPByteRange, of count: Int) -> [Int] {
    (0..<count).filter { position in
      switch range {
      case .from(let first, let last): position >= first && position <= last ?? .max
      case .last(let length): count - position <= length
      }
    }
  }

  @Test(arguments: 0..<8)
  func `selects the positions that it names`(count: Int) {
    var ranges: [HTTPByteRange] = [
      .from(.max, through: .max), .from(0, through: .max), .last(.max),
    ]
    for first in 0..<10 {
      ranges += [.last(first), .from(first, through: nil)]
      ranges += (first..<10).map { .from(first, through: $0) }
    }
    for range in ranges {
      let expected = Self.positions(range, of: count)

      let resolved = range.resolved(of: count)

      #expect(resolved.map(Array.init) ?? [] == expected, "\(range) of \(count)")
      #expect((resolved == nil) == expected.isEmpty, "\(range) of \(count)")
    }
  }
}

@Suite struct `The range of a partial response` {
  @Test(
    arguments: [
      ("bytes 0-99/1000", 0..<100, 1000), ("bytes 0-0/1", 0..<1, 1), ("BYTES\t5-9/*", 5..<10, nil),
      ("  bytes   998-999/1000 ", 998..<1000, 1000),
      ("bytes 0-9223372036854775806/*", 0..<Int.max, nil),
      ("bytes 0-9223372036854775806/9223372036854775807", 0..<Int.max, .max),
    ] as [(String, Range<Int>, Int?)])
  func `is read with its total`(text: String, bytes: Range<Int>, total: Int?) throws {
    let range = try #require(HTTPContentRange(text))

    #expect(range == HTTPContentRange(bytes: bytes, total: total))
    #expect(HTTPContentRange(range.description) == range)
  }

  @Test(arguments: [
    "", "bytes", "bytes */1000", "bytes 0-99", "bytes 0-99/", "bytes 0-99/99", "bytes 9-0/100",
    "bytes 0-/100", "bytes -9/100", "items 0-9/10", "bytes=0-9/10", "bytes 0-9/10/10",
    "bytes 0-9/10 x", "bytes 0-9/-1", "bytes +0-9/10", "bytes 0-9223372036854775807/*",
    "bytes 0-99999999999999999999/*", "bytes 0-9/ten", "bytes 0 - 9/10",
  ])
  func `is refused where it contradicts itself or is not one`(text: String) {
    #expect(HTTPContentRange(text) == nil)
  }
}
