import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Placeholders of images` {
  // Made by another implementation of the same algorithm from the same pixels.
  static let known: [(PixelBuffer, [UInt8])] = [
    (
      SampleImages.gradient(60, 40),
      [
        160, 7, 10, 53, 154, 96, 118, 119, 64, 136, 120, 134, 105, 104, 104, 119, 160, 240, 11, 247,
        120,
      ]
    ),
    (
      SampleImages.translucent(30, 45),
      [
        160, 247, 137, 27, 12, 7, 114, 96, 104, 137, 119, 144, 200, 13, 248, 119, 98, 179, 146, 95,
        53, 38, 92,
      ]
    ),
    (
      SampleImages.gradient(32, 32),
      [
        222, 247, 13, 23, 26, 129, 135, 135, 112, 120, 136, 136, 136, 120, 135, 136, 135, 135, 8,
        248, 136, 128, 143, 7,
      ]
    ),
  ]

  @Test(arguments: known.indices)
  func `a ThumbHash equals that of other implementations`(index: Int) throws {
    let (picture, expected) = Self.known[index]

    let hash = try ThumbHash(of: picture)

    #expect(hash.bytes.count == expected.count)
    // A coefficient half way between two steps may fall to either side.
    for (made, other) in zip(hash.bytes, expected).dropFirst(5) {
      let low = Int(made & 15) - Int(other & 15)
      let high = Int(made >> 4) - Int(other >> 4)
      #expect(abs(low) <= 1 && abs(high) <= 1)
    }
    #expect(Array(hash.bytes.prefix(5)) == Array(expected.prefix(5)))
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .gif])
  func `a full pixel check also computes the placeholder`(format: ImageFormat) throws {
    var picture = SampleImages.flat(300, 400, [220, 20, 20, 255])
    PixelKernels.draw(
      SampleImages.flat(300, 190, [20, 20, 220, 255]), on: &picture, left: 0, top: 210,
      blends: false)
    let bytes =
      switch format {
      case .png: try ImageCodecs.encodePNG(picture)
      case .gif: try ImageCodecs.encodeGIF([AnimationFrame(pixels: picture, delay: .zero)])
      default: try ImageCodecs.encodeJPEG(picture)
      }

    let placeholder = try #require(
      try ImageCodecs.check(bytes.span.bytes, level: .decode).placeholder)

    #expect(isTallAndRedAboveBlue(placeholder.thumbHash.pixels()))
    #expect(near([220, 20, 20], placeholder.dominantColor))
    #expect(try ImageCodecs.check(bytes.span.bytes, level: .structure).placeholder == nil)
  }

  @Test func `the placeholder follows the EXIF orientation`() throws {
    var picture = SampleImages.flat(400, 300, [220, 20, 20, 255])
    PixelKernels.draw(
      SampleImages.flat(190, 300, [20, 20, 220, 255]), on: &picture, left: 210, top: 0,
      blends: false)
    let bytes = SampleImages.jpeg(
      try ImageCodecs.encodeJPEG(picture), inserting: [SampleImages.exif(orientation: 6)])

    let checked = try ImageCodecs.check(bytes.span.bytes, level: .decode)

    #expect(isTallAndRedAboveBlue(try #require(checked.placeholder).thumbHash.pixels()))
  }

  private func isTallAndRedAboveBlue(_ shown: PixelBuffer) -> Bool {
    let (top, bottom) = (shown[shown.width / 2, 2], shown[shown.width / 2, shown.height - 3])
    return shown.height > shown.width && top[0] > top[2] && bottom[2] > bottom[0]
  }

  private func near(_ expected: [Int], _ color: PixelColor) -> Bool {
    // A JPEG of quality 80 moves a flat colour by a few steps.
    zip(expected, [color.red, color.green, color.blue]).allSatisfy { abs($0 - Int($1)) <= 4 }
  }
}

@Suite struct `A ThumbHash and its image` {
  @Test(arguments: [
    ((100, 100), (32, 32)), ((90, 30), (32, 9)), ((30, 90), (9, 32)), ((1000, 1), (32, 5)),
    ((1, 1000), (5, 32)), ((70, 50), (32, 23)), ((1, 1), (32, 32)),
  ])
  func `has its longer side of 32 pixels and a shape in sevenths`(
    source: (Int, Int), shown: (Int, Int)
  ) throws {
    let hash = try ThumbHash(of: SampleImages.gradient(source.0, source.1))

    #expect(hash.pixels().size == PixelSize(width: shown.0, height: shown.1))
    #expect(hash.pixels().isOpaque)
  }

  // The means have six bits a channel, and blue is the difference of two of them.
  @Test(
    arguments: [
      [0, 0, 0], [255, 255, 255], [128, 128, 128], [255, 0, 0], [0, 255, 0], [0, 0, 255],
      [12, 200, 140],
    ] as [[UInt8]])
  func `of one color is close to that color everywhere`(color: [UInt8]) throws {
    let hash = try ThumbHash(of: SampleImages.flat(50, 50, color + [255]))

    let shown = hash.pixels()

    #expect(shown.difference(from: SampleImages.flat(32, 32, color + [255])) <= 8)
  }

  @Test func `shows which half is dark`() throws {
    var image = SampleImages.flat(60, 60, [240, 240, 240, 255])
    image.draw(SampleImages.flat(30, 60, [10, 10, 10, 255]), left: 0, top: 0)

    let across = try ThumbHash(of: image).pixels()
    let down = try ThumbHash(of: Orient(6).process(image)).pixels()

    #expect(across[4, 16][0] < 64 && across[27, 16][0] > 190)
    #expect(down[16, 4][0] < 64 && down[16, 27][0] > 190)
  }

  @Test func `shows where an image is transparent`() throws {
    var image = SampleImages.flat(60, 60, [200, 40, 40, 255])
    image.clear(left: 30, top: 0, size: PixelSize(width: 30, height: 60))

    let shown = try ThumbHash(of: image).pixels()

    #expect(shown[4, 16][3] > 190)
    #expect(shown[27, 16][3] < 64)
    let clear = try ThumbHash(of: PixelBuffer(clear: PixelSize(width: 9, height: 9))).pixels()
    #expect(stride(from: 3, to: clear.bytes.count, by: 4).allSatisfy { clear.bytes[$0] == 0 })
    #expect(shown.size == PixelSize(width: 32, height: 32))
  }

  @Test(arguments: 0..<64)
  func `is made of any bytes that are as many as they announce`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    let bytes = (0..<29).map { _ in UInt8(truncatingIfNeeded: random.next()) }

    let shown = ThumbHash(bytes: bytes)?.pixels()

    // 29 bytes are as many as any header needs.
    #expect(shown.map { max($0.width, $0.height) } == 32)
    #expect(shown.map { min($0.width, $0.height) >= 5 } == true)
  }

  /// The bytes that a header of these values announces, filled with zeros up to `count`.
  static func bytes(alpha: Bool, wide: Bool, shorter: UInt8, count: Int) -> [UInt8] {
    let head: [UInt8] = [0, 0, alpha ? 0x80 : 0, shorter, wide ? 0x80 : 0]
    return head + Array(repeating: 0, count: count - head.count)
  }

  @Test(
    arguments: [
      // Planes of 3 × 3 and 7 × 3, of 7 × 7, and with alpha of 5 × 5 up to 7 × 5.
      (false, false, 3, 17), (false, true, 0, 17), (false, true, 7, 24), (true, false, 3, 23),
      (true, true, 5, 25), (true, false, 7, 29),
    ] as [(Bool, Bool, UInt8, Int)])
  func `is what its header announces, and bytes may follow`(
    alpha: Bool, wide: Bool, shorter: UInt8, count: Int
  ) throws {
    let whole = Self.bytes(alpha: alpha, wide: wide, shorter: shorter, count: count)

    #expect(ThumbHash(bytes: whole) != nil)
    #expect(ThumbHash(bytes: Array(whole.dropLast())) == nil)
    #expect(try #require(ThumbHash(bytes: whole + [1, 2, 3])).bytes.count == count + 3)
  }

  @Test func `of an image above 100 pixels a side is that of its reduction`() throws {
    let large = SampleImages.quarters(400, 300)
    let small = try Resize(PixelSize(width: 100, height: 100), fit: .inside, filter: .area)
      .process(large)

    #expect(small.size == PixelSize(width: 100, height: 75))
    #expect(try ThumbHash(of: large) == ThumbHash(of: small))
  }
}
