import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `An orientation` {
  /// The corners of an image of 3 × 2 pixels, as they are stored: a b c over d e f.
  static let stored = PixelBuffer(
    size: PixelSize(width: 3, height: 2),
    bytes: "abcdef".utf8.flatMap { [$0, 0, 0, 255] })

  static func letters(_ image: PixelBuffer) -> [String] {
    (0..<image.height).map { y in
      String(decoding: (0..<image.width).map { image[$0, y][0] }, as: UTF8.self)
    }
  }

  @Test(arguments: [
    (1, ["abc", "def"]), (2, ["cba", "fed"]), (3, ["fed", "cba"]), (4, ["def", "abc"]),
    (5, ["ad", "be", "cf"]), (6, ["da", "eb", "fc"]), (7, ["fc", "eb", "da"]),
    (8, ["cf", "be", "ad"]), (0, ["abc", "def"]), (9, ["abc", "def"]), (-3, ["abc", "def"]),
  ])
  func `turns and mirrors as EXIF defines it`(orientation: Int, rows: [String]) throws {
    #expect(Self.letters(try Orient(orientation).process(Self.stored)) == rows)
  }

  @Test(arguments: 1...8, 1...8)
  func `and then another are one`(first: Int, second: Int) {
    let both = Orientation(first).then(Orientation(second))

    #expect(
      Self.stored.upright(both)
        == Self.stored.upright(Orientation(first)).upright(Orientation(second)))
  }

  @Test(
    arguments: [
      (90, nil, ["da", "eb", "fc"]), (180, nil, ["fed", "cba"]), (270, nil, ["cf", "be", "ad"]),
      (-90, nil, ["cf", "be", "ad"]), (0, .horizontal, ["cba", "fed"]),
      (0, .vertical, ["def", "abc"]), (0, .both, ["fed", "cba"]), (180, .both, ["abc", "def"]),
      (90, .horizontal, ["ad", "be", "cf"]), (90, .vertical, ["fc", "eb", "da"]),
    ] as [(Int, Orient.Flip?, [String])])
  func `rotates clockwise, then flips`(degrees: Int, flip: Orient.Flip?, rows: [String]) throws {
    let orient = try #require(Orient(rotatedBy: degrees, flipped: flip))

    #expect(Self.letters(try orient.process(Self.stored)) == rows)
    #expect(Orient(rotatedBy: degrees + 45) == nil)
  }

  @Test(arguments: 1...8, [(1, 1), (17, 16), (16, 17), (33, 40), (1, 50), (50, 1)])
  func `moves every pixel of an image of any size`(orientation: Int, sides: (Int, Int)) {
    let image = SampleImages.gradient(sides.0, sides.1)
    let turned = image.upright(Orientation(orientation))

    let size = Orientation(orientation).turned(image.size)
    #expect(turned.size == size)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let part = Orientation(orientation).stored(
          PixelRect(left: Double(x), top: Double(y), width: 1, height: 1), of: size)
        let pixel = image[Int(part.left), Int(part.top)]
        if turned[x, y] != pixel { Issue.record("\(x), \(y): \(turned[x, y]) is not \(pixel)") }
      }
    }
  }

  @Test(arguments: 1...8)
  func `maps a crop at the right and lower edge to one within the stored image`(
    orientation: Int
  ) throws {
    var random = SplitMix64(seed: 20)
    for _ in 0..<200 {
      func side(_ bound: UInt64) -> Int { Int(random.next() % bound) + 1 }
      let upright = PixelSize(width: side(900), height: side(900))
      let fit = try FitGeometry(
        source: upright, box: PixelSize(width: side(200), height: side(200)), fit: .cover,
        focus: FocalPoint(x: 1, y: 1))

      let part = Orientation(orientation).stored(fit.region, of: upright)

      #expect(part.left >= 0 && part.top >= 0, "\(upright), \(fit)")
    }
  }
}
