import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// The files in Tests/Fixtures/heic are the drawing of those in `avif`, written by `heif-enc -q 97 -p
/// chroma=444`: of 8 bits, with `-b 10`, and with an alpha of 40 on the left.
@Suite(.enabled(if: ImageCodecs.decodableFormats.contains(.heic), "libheif is not there"))
struct `HEIC` {
  /// The drawing as `HEICFile.picture()` has it, with properties behind its size.
  static func still(_ properties: [UInt8]...) throws -> HEICFile {
    var picture = try HEICFile.picture()
    picture.properties += [HEICFile.aperture(48, 32, -16, -32)] + properties
    return HEICFile(items: [picture])
  }

  static func decode(_ bytes: [UInt8]) throws -> PixelBuffer {
    try ImageCodecs.decode(bytes.span.bytes)
  }

  static func expect(_ pixels: PixelBuffer, near expected: PixelBuffer) {
    #expect(pixels.size == expected.size)
    #expect(AVIF.largestDifference(pixels, expected) <= 8)
  }

  @Test(arguments: [("plain", 8), ("ten-bit", 10), ("alpha", 8)])
  func `a still image is decoded`(name: String, bitDepth: Int) throws {
    let bytes = try HEICFile.fixture(name)

    let info = try ImageCodecs.info(of: bytes.span.bytes)
    let checked = try ImageCodecs.check(bytes.span.bytes, level: .decode)

    #expect(info.format == .heic && info.size == PixelSize(width: 48, height: 32))
    #expect(info.bitDepth == bitDepth && info.hasAlpha == (name == "alpha"))
    #expect(checked.placeholder != nil)
    Self.expect(try Self.decode(bytes), near: AVIF.expected(alpha: name == "alpha"))
  }

  /// `irot` turns counterclockwise; what it gives is mirrored by `imir`.
  @Test(arguments: [
    ([[0]], 1), ([[1]], 8), ([[2]], 3), ([[3]], 6), ([[0], [0]], 4), ([[0], [1]], 2),
    ([[1], [0]], 5), ([[1], [1]], 7), ([[3], [0]], 7), ([[3], [1]], 5),
  ])
  func `rotation and mirroring are applied`(values: [[UInt8]], orientation: Int) throws {
    var file = try Self.still()
    file.items[0].properties += zip(["irot", "imir"], values).map(HEICFile.box)

    let info = try ImageCodecs.info(of: file.bytes.span.bytes)

    let expected = AVIF.expected().upright(Orientation(orientation))
    #expect(info.orientation == 1 && info.size == expected.size)
    Self.expect(try Self.decode(file.bytes), near: expected)
    // Alpha, here the brightness of the same picture, is transformed once.
    let plain = try Self.decode(try Self.still().addingAlpha().bytes)
    let turned = try Self.decode(file.addingAlpha().bytes)
    #expect(plain.bytes[3] < 60 && !plain.isOpaque)
    #expect(AVIF.largestDifference(turned, plain.upright(Orientation(orientation))) <= 8)
  }

  @Test func `mirroring before a rotation turns the other way`() throws {
    let file = try Self.still(HEICFile.box("imir", [1]), HEICFile.box("irot", [1]))

    let expected = AVIF.expected().upright(Orientation(2)).upright(Orientation(8))
    Self.expect(try Self.decode(file.bytes), near: expected)
  }

  static func grid(isInside: Bool = true) throws -> HEICFile {
    let tile = try HEICFile.picture()
    let grid = HEICFile.Item(
      type: "grid", data: HEICFile.grid(2, 3, 180, 100), properties: [HEICFile.size(180, 100)],
      isInside: isInside)
    return HEICFile(
      items: [grid] + Array(repeating: tile, count: 6),
      references: [("dimg", 1, [2, 3, 4, 5, 6, 7])])
  }

  @Test(arguments: [true, false])
  func `a grid is put together of its tiles`(isInside: Bool) throws {
    let bytes = try Self.grid(isInside: isInside).bytes

    let info = try ImageCodecs.info(of: bytes.span.bytes)
    let pixels = try Self.decode(bytes)

    #expect(info.size == PixelSize(width: 180, height: 100) && pixels.size == info.size)
    for origin in [(0, 0), (64, 0), (128, 0), (0, 64), (64, 64)] {
      let part = pixels.placed(
        on: PixelSize(width: 48, height: 32), left: -origin.0, top: -origin.1, background: .clear)
      Self.expect(part, near: AVIF.expected())
    }
  }

  @Test func `colours become those of sRGB, by a profile or by numbers`() throws {
    let profile = try `Colours of a source`.displayP3()
    let byProfile = try Self.still(HEICFile.box("colr", Array("prof".utf8) + profile)).bytes
    let numbers: [UInt8] = [0, 12, 0, 13, 0, 6, 0x80]
    let byNumbers = try Self.still(HEICFile.box("colr", Array("nclx".utf8) + numbers)).bytes
    let recipe = with(ThumbnailRecipe(size: PixelSize(width: 48, height: 32), format: .png)) {
      $0.isLossless = true
    }
    func thumbnail(_ bytes: [UInt8]) throws -> PixelBuffer {
      try Self.decode(try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe).bytes)
    }

    let plain = try thumbnail(try Self.still().bytes)

    #expect(try ImageCodecs.info(of: byProfile.span.bytes).iccProfileByteCount == profile.count)
    #expect(AVIF.largestDifference(try thumbnail(byProfile), plain) > 20)
    #expect(AVIF.largestDifference(try thumbnail(byNumbers), try thumbnail(byProfile)) <= 2)
    // The curve of BT.601 is that of sRGB to a viewer.
    func thumbnail(transfer: UInt8) throws -> PixelBuffer {
      let numbers: [UInt8] = [0, 6, 0, transfer, 0, 6, 0x80]
      let file = try Self.still(HEICFile.box("colr", Array("nclx".utf8) + numbers))
      return try thumbnail(file.bytes)
    }
    #expect(try thumbnail(transfer: 6) == thumbnail(transfer: 13))
  }

  /// A TIFF file with the orientation 6 and an author.
  static let exif: [UInt8] =
    [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 2, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
    + [1, 0x3B, 0, 2, 0, 0, 0, 11, 0, 0, 0, 38, 0, 0, 0, 0] + Array("Ann Author\0".utf8)

  @Test func `the author of a photo is kept, its EXIF orientation is not applied`() throws {
    var file = try Self.still()
    let prefix = HEICFile.big(6) + Array("Exif\0\0".utf8)
    file.items.append(HEICFile.Item(type: "Exif", data: prefix + Self.exif))
    file.references = [("cdsc", 2, [1])]
    let bytes = file.bytes
    let recipe = ThumbnailRecipe(size: PixelSize(width: 24, height: 0), format: .jpeg)

    let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)

    #expect(made.size == PixelSize(width: 24, height: 16))
    #expect(made.bytes.contains(Array("Ann Author".utf8)))
  }

  @Test func `a file truncated at any length is refused`() throws {
    for bytes in [try HEICFile.fixture("alpha"), try Self.grid().bytes] {
      for count in stride(from: 1, to: bytes.count, by: 7) {
        let cut = Array(bytes.prefix(count))
        for level in [ImageCheck.structure, .decode] {
          imageError { try ImageCodecs.check(cut.span.bytes, level: level) }
        }
      }
    }
  }

  @Test func `limits are compared with the boxes`() throws {
    let bytes = try Self.grid().bytes
    let limits = with(ImageLimits()) { $0.maximumPixels = 1000 }

    let error = imageError { try ImageCodecs.info(of: bytes.span.bytes, limits: limits) }

    #expect(error?.code == .limitExceeded)
  }

  /// A sequence parameter set of pictures of a size, up to it.
  static func parameterSet(_ width: Int, _ height: Int) -> [UInt8] {
    func code(_ value: Int) -> String {
      let digits = String(value + 1, radix: 2)
      return String(repeating: "0", count: digits.count - 1) + digits
    }
    let profile = "01" + String(repeating: "1", count: 94)
    var bits = "0000" + "000" + "1" + profile + code(0) + code(1) + code(width) + code(height)
    bits += "0" + code(0) + code(0) + String(repeating: "1", count: 64)
    let bytes = stride(from: 0, to: bits.count / 8 * 8, by: 8).map { start -> UInt8 in
      let from = bits.index(bits.startIndex, offsetBy: start)
      return UInt8(bits[from..<bits.index(from, offsetBy: 8)], radix: 2) ?? 0
    }
    return [0x42, 1] + bytes
  }

  @Test(arguments: ["size", "pictures", "tiles"])
  func `what HEVC data costs is compared with the limits before it is decoded`(kind: String) throws
  {
    var file = try Self.still()
    switch kind {
    case "size":
      let unit = Self.parameterSet(60_000, 60_000)
      file.items[0].data = HEICFile.big(unit.count) + unit + file.items[0].data
    case "pictures":
      file.items[0].data = Array(repeatElement(file.items[0].data, count: 2000).joined())
    default:
      file = try Self.grid()
      let tiles = Array(repeating: 2, count: 256 * 8)
      file.items[0].data = HEICFile.grid(8, 256, 180, 100)
      file.references = [("dimg", 1, tiles)]
    }
    let bytes = file.bytes

    let error = imageError { try Self.decode(bytes) }

    #expect(error?.code == (kind == "tiles" ? .corrupt : .limitExceeded), "\(error)")
  }

  static let damage: [(String, @Sendable (inout HEICFile) -> Void)] = [
    ("no primary image", { $0.primary = 9 }),
    ("another size", { $0.items[0].properties[1...] = [HEICFile.size(80, 64)] }),
    ("no size", { $0.items[0].properties.remove(at: 1) }),
    ("no configuration", { $0.items[0].properties[0] = HEICFile.box("free", []) }),
    ("another codec", { $0.items[0].type = "av01" }),
    ("a second list", { $0.further = HEICFile.box("pitm", HEICFile.big(0) + [0, 1]) }),
    ("a box behind the end", { $0.further = HEICFile.big(1 << 30) + Array("free".utf8) }),
    (
      "a grid of itself",
      {
        $0.items[0].type = "grid"
        $0.items[0].data = HEICFile.grid(1, 1, 64, 64)
        $0.references = [("dimg", 1, [1])]
      }
    ),
  ]

  @Test(arguments: damage.indices)
  func `damage is an error`(index: Int) throws {
    var file = try Self.still()
    Self.damage[index].1(&file)
    let bytes = file.bytes

    let error = imageError("\(Self.damage[index].0)") { try Self.decode(bytes) }

    #expect([.corrupt, .unsupportedFormat].contains(error?.code), "\(Self.damage[index].0)")
  }
}
