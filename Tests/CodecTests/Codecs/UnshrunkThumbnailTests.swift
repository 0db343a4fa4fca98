import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// A thumbnail that has the pixels of its original has no more bytes, and no metadata.
@Suite struct `A thumbnail of the original's size` {
  static let photo = SampleImages.gradient(96, 64)
  static let secret = Array("taken at home".utf8)

  static func thumbnail(
    _ bytes: [UInt8], _ change: (inout ThumbnailRecipe) -> Void = { _ in }
  ) throws -> EncodedImage {
    var recipe = ThumbnailRecipe(size: PixelSize(width: 0, height: 64))
    recipe.formatsBySource = [.png: .png, .gif: .gif]
    change(&recipe)
    let info = try ImageCodecs.info(of: bytes.span.bytes)
    return try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe.following(info.format))
  }

  /// A file of each format that a better quality would make larger, with a text in it.
  static func original(_ format: ImageFormat) throws -> [UInt8] {
    let frame = AnimationFrame(pixels: photo, delay: .milliseconds(70))
    let count = secret.count
    switch format {
    case .jpeg:
      let bytes = try ImageCodecs.encodeJPEG(photo, options: EncodingOptions(quality: 10))
      return SampleImages.jpeg(bytes, inserting: [[0xff, 0xfe, 0, UInt8(count + 2)] + secret])
    case .png:
      let bytes = try ImageCodecs.encodePNG(photo, options: EncodingOptions(level: 9))
      let text = SamplePNG.chunk("tEXt", secret)
      return Array(bytes[..<33]) + text + Array(bytes[33...])
    case .gif:
      let other = AnimationFrame(
        pixels: SampleImages.flat(96, 64, [9, 9, 9, 255]), delay: .milliseconds(70))
      let bytes = try ImageCodecs.encodeGIF([frame, other])
      let end = bytes.count - 1
      return Array(bytes[..<end]) + [0x21, 0xfe, UInt8(count)] + secret + [0, 0x3b]
    default:
      var bytes = try ImageCodecs.encodeWebP(photo, options: EncodingOptions(quality: 5))
      bytes += Array("EXIF".utf8) + [UInt8(count), 0, 0, 0] + secret + [0]
      let length = bytes.count - 8
      (bytes[4], bytes[5]) = (UInt8(length & 255), UInt8(length >> 8))
      return bytes
    }
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webp])
  func `is the original without its metadata where that is smaller`(format: ImageFormat) throws {
    let original = try Self.original(format)

    let made = try Self.thumbnail(original) { if format == .webp { $0.format = .webp } }

    #expect(made.format == format && made.bytes.count <= original.count)
    #expect(!made.bytes.contains(Self.secret) && original.contains(Self.secret))
    let (before, after) = (
      try FrameReader(original.span.bytes).rest(of: original),
      try FrameReader(made.bytes.span.bytes).rest(of: made.bytes)
    )
    #expect(before.map(\.pixels) == after.map(\.pixels))
    #expect(before.map(\.delay) == after.map(\.delay))
  }

  @Test func `is made where the options ask for other pixels, or the file has another orientation`()
    throws
  {
    let original = try Self.original(.jpeg)
    let turned = SampleImages.jpeg(original, inserting: [SampleImages.exif(orientation: 3)])
    let plain = try Self.thumbnail(original)

    #expect(plain.bytes.count < original.count)
    for made in try [
      Self.thumbnail(original) { $0.isGray = true },
      Self.thumbnail(original) { $0.crop = CropRectangle(text: "0,0,95,64") },
      Self.thumbnail(original) { $0.size.height = 63 }, Self.thumbnail(turned),
      Self.thumbnail(original) { $0.format = .png },
    ] {
      #expect(made.bytes != plain.bytes)
    }
    #expect(try Self.thumbnail(original) { $0.quality = 1 }.bytes.count < plain.bytes.count)
  }

  @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webp])
  func `is encoded where the file cannot be taken apart`(format: ImageFormat) throws {
    let original = try Self.original(format)
    let codec = try #require(try ImageCodecs.codec(for: format) as? any MetadataEditing)

    for count in 0..<original.count {
      let cut = Array(original.prefix(count))
      #expect(cut.withUnsafeBytes { codec.withoutMetadata($0) } == nil, "\(count)")
    }
  }

  @Test func `is a PNG where a JPEG would be larger and no format is named`() throws {
    let flat = try ImageCodecs.encodePNG(SampleImages.flat(96, 64, [1, 2, 3, 255]))
    var recipe = ThumbnailRecipe(size: PixelSize(width: 96, height: 0))

    let made = try ImageCodecs.thumbnail(of: flat.span.bytes, recipe: recipe)
    recipe.format = .jpeg
    let named = try ImageCodecs.thumbnail(of: flat.span.bytes, recipe: recipe)

    #expect(made.format == .png && made.bytes.count <= flat.count)
    #expect(named.format == .jpeg)
  }

  @Test func `is progressive where it has more than 10 kB and that makes it smaller`() throws {
    let box = PixelSize(width: 600, height: 400)
    let pixels = try Resize(box, enlarges: true).process(`The operations of a thumbnail`.photo)
    func bytes(_ isProgressive: Bool?, quality: Int) throws -> [UInt8] {
      var options = EncodingOptions(quality: quality)
      options.isProgressive = isProgressive
      return try ImageCodecs.encodeJPEG(pixels, options: options)
    }

    for quality in [60, 80, 97] {
      let plain = try bytes(false, quality: quality)
      let progressive = try bytes(true, quality: quality)
      let chosen = try bytes(nil, quality: quality)

      #expect(plain.count > 10_000)
      #expect(chosen.count == min(plain.count, progressive.count), "\(quality)")
    }
    let small = try ImageCodecs.encodeJPEG(Self.photo)
    #expect(try !ImageCodecs.info(of: small.span.bytes).isProgressive && small.count < 10_000)
  }
}

@Suite struct `The metadata of a thumbnail` {
  static let photo = SampleImages.gradient(96, 64)

  /// EXIF with an orientation, an author, a place and a copyright, in either order of bytes.
  static func exif(isBig: Bool) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
      return isBig ? bytes.reversed() : bytes
    }
    let texts: [(Int, String)] = [
      (0x010E, "at home, door 7"), (0x013B, "Ann"), (0x8298, "© 2026 Ann B."),
    ]
    var (directory, values): ([UInt8], [UInt8]) = ([], [])
    for (tag, text) in texts {
      let bytes = Array(text.utf8) + [0]
      directory += number(tag, 2) + number(2, 2) + number(bytes.count, 4)
      if bytes.count <= 4 {
        directory += bytes + [UInt8](repeating: 0, count: 4 - bytes.count)
      } else {
        directory += number(8 + 2 + 12 * 4 + 4 + values.count, 4)
        values += bytes
      }
      if tag == 0x010E {
        directory += number(0x0112, 2) + number(3, 2) + number(1, 4) + number(6, 2) + [0, 0]
      }
    }
    return Array((isBig ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + number(4, 2)
      + directory
      + number(0, 4) + values
  }

  /// IPTC of Photoshop, behind another resource.
  static let iptc: [UInt8] = {
    func set(_ number: UInt8, _ text: String) -> [UInt8] {
      [0x1C, 2, number, 0, UInt8(text.utf8.count)] + Array(text.utf8)
    }
    let sets = set(5, "at home") + set(80, "Bo") + set(80, "Cy") + set(116, "(c) Bo & Cy ")
    let other = Array("8BIM".utf8) + [4, 0x0C, 1, 0x61, 0, 0, 0, 3, 1, 2, 3, 0]
    let resource = Array("8BIM".utf8) + [4, 4, 0, 0, 0, 0, 0, UInt8(sets.count)] + sets
    let body = Array("Photoshop 3.0\0".utf8) + other + resource
    return [0xff, 0xed, 0, UInt8(body.count + 2)] + body
  }()

  static func original(_ exif: [UInt8]?, _ format: ImageFormat = .jpeg) throws -> [UInt8] {
    let bytes = try ImageCodecs.encode(
      [AnimationFrame(pixels: photo, delay: .zero)], as: format,
      options: EncodingOptions(quality: 90)
    ).bytes
    let codec = try #require(try ImageCodecs.codec(for: format) as? any MetadataEditing)
    return exif.map { codec.adding(exif: $0, to: bytes) } ?? bytes
  }

  static func kept(
    _ original: [UInt8], _ treatment: MetadataTreatment, as format: ImageFormat = .jpeg,
    height: Int = 32
  ) throws -> (metadata: ImageMetadata, info: ImageInfo) {
    var recipe = ThumbnailRecipe(size: PixelSize(width: 0, height: height), format: format)
    recipe.metadata = treatment
    let made = try ImageCodecs.thumbnail(of: original.span.bytes, recipe: recipe)
    let codec = try #require(try ImageCodecs.codec(for: format) as? any MetadataEditing)
    let info = try ImageCodecs.check(made.bytes.span.bytes, level: .decode).info
    return (made.bytes.withUnsafeBytes { codec.metadata(of: $0) }, info)
  }

  @Test(
    arguments: [ImageFormat.jpeg, .png, .webp],
    [(ImageFormat.jpeg, true), (.png, false), (.webp, false)])
  func `is author and copyright, whatever the formats`(
    source: ImageFormat, target: (format: ImageFormat, isBig: Bool)
  ) throws {
    let original = try Self.original(Self.exif(isBig: target.isBig), source)

    for height in [32, 96] {
      let (kept, info) = try Self.kept(original, .copyright, as: target.format, height: height)
      let text = String(decoding: kept.exif, as: UTF8.self)
      #expect(text.contains("Ann\0") && text.contains("© 2026 Ann B.\0") && !text.contains("home"))
      #expect(info.orientation == 1 && info.size.height == height)
    }
  }

  @Test func `is all of EXIF, upright, or nothing, where that is asked for`() throws {
    for isBig in [true, false] {
      let original = try Self.original(Self.exif(isBig: isBig))

      let (all, info) = try Self.kept(original, .all)
      let (none, _) = try Self.kept(original, .drop)

      #expect(String(decoding: all.exif, as: UTF8.self).contains("door 7"))
      #expect(all.exif.count == Self.exif(isBig: isBig).count && info.orientation == 1)
      #expect(try ImageCodecs.info(of: original.span.bytes).orientation == 6)
      #expect(none.exif.isEmpty)
    }
  }

  @Test func `is that of IPTC where EXIF has none`() throws {
    let original = SampleImages.jpeg(try Self.original(nil), inserting: [Self.iptc])

    let text = String(decoding: try Self.kept(original, .copyright).metadata.exif, as: UTF8.self)

    #expect(text.contains("Bo; Cy\0") && text.contains("(c) Bo & Cy\0") && !text.contains("home"))
    #expect(try Self.kept(try Self.original(nil), .copyright).metadata.exif.isEmpty)
  }

  @Test func `of a damaged file is left out, whatever the damage is`() throws {
    let exif = Self.exif(isBig: false)
    var random = SplitMix64(seed: 7)
    for _ in 0..<3000 {
      var bytes = exif
      for _ in 0..<(1 + random.next() % 4) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let metadata = ImageMetadata(
        exif: Array(bytes.prefix(Int(random.next() % UInt64(bytes.count)))), iptc: Array(bytes))
      let made = metadata.exif(.copyright) ?? []
      #expect(made.count < 4200)
      _ = metadata.exif(.all)
    }
  }
}
