import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `A failed encoding` {
  static func failure(_ body: () throws -> Void) -> ImageError? {
    do { try body() } catch { return error as? ImageError }
    return nil
  }

  static let encoders: [(String, @Sendable (PixelBuffer) throws -> Void)] = [
    ("JPEG", { image in _ = try ImageCodecs.encodeJPEG(image) }),
    ("PNG", { image in _ = try ImageCodecs.encodePNG(image) }),
    ("PNG file", { image in try ImageCodecs.writePNG(image, to: -1) }),
    ("WebP", { image in _ = try ImageCodecs.encodeWebP(image) }),
    ("palette", { image in _ = try IndexedImage(reducing: image) }),
  ]

  @Test(arguments: encoders.indices, [(0, 0), (0, 5), (5, 0)])
  func `of an image without pixels says so`(index: Int, sides: (Int, Int)) throws {
    let (name, encode) = Self.encoders[index]
    let image = PixelBuffer(clear: PixelSize(width: sides.0, height: sides.1))

    let error = try #require(
      Self.failure { try encode(image) }, "\(name)")

    #expect(error.code == .invalidArgument)
    #expect(error.message.hasSuffix("the image has no pixels"), "\(name): \(error.message)")
  }

  @Test(arguments: [ImageFormat.tiff, .bmp, .svg, ImageFormat(rawValue: "unheard")])
  func `in a format that cannot be written names those that can`(format: ImageFormat) throws {
    let frame = AnimationFrame(pixels: SampleImages.gradient(3, 3), delay: .zero)

    let error = try #require(
      Self.failure {
        _ = try ImageCodecs.encode([frame], as: format)
      })

    #expect(error.code == .unsupportedFormat)
    #expect(error.message.contains("\(format.displayName) cannot be written"))
    for name in ["JPEG", "PNG", "GIF", "WebP"] {
      #expect(error.message.contains(name), "\(error.message)")
    }
    #expect(!error.message.contains("AVIF"), "\(error.message)")
    #expect(!error.message.contains("read"), "\(error.message)")
  }

  @Test func `of no frames says so in every animated format`() {
    let gif = Self.failure { _ = try ImageCodecs.encodeGIF([]) }
    let webp = Self.failure { _ = try ImageCodecs.encodeWebP([]) }

    for error in [gif, webp] {
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains("no frame") == true, "\(error?.message ?? "no error")")
    }
  }
}
