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
    recipe.followsSource = true
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
    let codec = try ImageCodecs.codec(for: format)

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
    let pixels = `The operations of a thumbnail`.photo
    func bytes(_ isProgressive: Bool?) throws -> [UInt8] {
      var options = EncodingOptions(quality: 95)
      options.isProgressive = isProgressive
      return try ImageCodecs.encodeJPEG(pixels, options: options)
    }

    let (chosen, plain, progressive) = try (bytes(nil), bytes(false), bytes(true))

    #expect(plain.count > 10_000)
    #expect(chosen.count == min(plain.count, progressive.count))
    let small = try ImageCodecs.encodeJPEG(Self.photo)
    #expect(try !ImageCodecs.info(of: small.span.bytes).isProgressive && small.count < 10_000)
  }
}
