import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `ICC profiles` {
  /// A profile with red, green and blue of sRGB, red and blue exchanged: a
  /// conversion is visible at once.
  static func swappedProfile(space: String = "RGB ") -> [UInt8] {
    let curve = SampleProfile.curve(0x233)  // gamma 2.2
    return SampleProfile.bytes(
      "mntr\(space)XYZ ",
      [
        ("rXYZ", SampleProfile.xyz(0.1431, 0.0606, 0.7141)),
        ("gXYZ", SampleProfile.xyz(0.3851, 0.7169, 0.0971)),
        ("bXYZ", SampleProfile.xyz(0.4361, 0.2225, 0.0139)),
        ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
      ])
  }

  static func decode(_ bytes: [UInt8], _ color: DecodingOptions.Color) throws -> PixelBuffer {
    let options = with(DecodingOptions()) { $0.color = color }
    return try ImageCodecs.decode(bytes.span.bytes, options: options)
  }

  private static func png(_ image: PixelBuffer, _ profile: [UInt8]) throws -> [UInt8] {
    let options = with(EncodingOptions()) { $0.iccProfile = profile }
    return try ImageCodecs.encodePNG(image, options: options)
  }

  @Test(arguments: [FitMode.contain, .cover])
  func `the background is sRGB, and is not converted`(fit: FitMode) throws {
    let bytes = try Self.png(SampleImages.flat(64, 32, [200, 100, 30, 0]), Self.swappedProfile())
    var recipe = ThumbnailRecipe(size: PixelSize(width: 16, height: 16), fit: fit)
    recipe.profile = .convert
    recipe.background = PixelColor(red: 128, green: 192, blue: 32)
    recipe.format = .png

    let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)

    let pixels = try Self.decode(made.bytes, .asIs)
    #expect(pixels[8, 1] == [128, 192, 32, 255])
    #expect(pixels[8, 8] == [128, 192, 32, 255])
    #expect(
      try ImageCodecs.pixels(of: bytes.span.bytes, recipe: recipe)[8, 8] == [128, 192, 32, 255])
  }

  @Test func `a profile of gray does not describe an image of colours`() throws {
    let picture = SampleImages.flat(16, 16, [200, 100, 30, 255])
    var options = EncodingOptions(quality: 95)
    options.iccProfile = Self.swappedProfile(space: "GRAY")
    let bytes = try ImageCodecs.encodeJPEG(picture, options: options)
    var recipe = ThumbnailRecipe(size: PixelSize(width: 8, height: 8))

    #expect(try Self.decode(bytes, .srgb) == Self.decode(bytes, .asIs))
    for treatment in [ProfileTreatment.keep, .convert] {
      recipe.profile = treatment
      let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
      let pixel = try Self.decode(made.bytes, .asIs)[4, 4]
      #expect(try ImageCodecs.info(of: made.bytes.span.bytes).iccProfileByteCount == nil)
      #expect(pixel[0] > 180 && pixel[2] < 60, "\(pixel)")
    }
  }

  @Test func `a gray PNG keeps a profile of gray`() throws {
    var options = EncodingOptions()
    options.iccProfile = Self.swappedProfile(space: "GRAY")
    options.mayUsePalette = false

    let bytes = try ImageCodecs.encodePNG(
      SampleImages.flat(16, 16, [90, 90, 90, 255]), options: options)

    let info = try ImageCodecs.info(of: bytes.span.bytes)
    #expect(info.colorModel == .gray)
    #expect(info.iccProfileByteCount != nil)
  }

  @Test func `a PNG of gray pixels with alpha keeps a profile of RGB`() throws {
    let size = PixelSize(width: 32, height: 32)
    // Gray throughout, and of more pairs of gray and alpha than a palette has.
    let picture = PixelBuffer(
      size: size,
      bytes: (0..<size.pixelCount).flatMap { index -> [UInt8] in
        let gray = UInt8(index % 32 * 8)
        return [gray, gray, gray, UInt8(index / 32 * 8)]
      })
    let bytes = try Self.png(picture, Self.swappedProfile())

    #expect(try ImageCodecs.info(of: bytes.span.bytes).iccProfileByteCount != nil)
    #expect(try Self.decode(bytes, .asIs) == picture)
  }
}
