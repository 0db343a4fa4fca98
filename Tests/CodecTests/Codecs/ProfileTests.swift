import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `ICC profiles` {
  /// A profile with red, green and blue of sRGB, red and blue exchanged: a
  /// conversion is visible at once.
  static func swappedProfile() -> [UInt8] {
    func big(_ value: Int) -> [UInt8] {
      [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
    func fixed(_ value: Double) -> [UInt8] { big(Int((value * 65_536).rounded())) }
    func xyz(_ x: Double, _ y: Double, _ z: Double) -> [UInt8] {
      Array("XYZ ".utf8) + big(0) + fixed(x) + fixed(y) + fixed(z)
    }
    let curve = Array("curv".utf8) + big(0) + big(1) + [2, 0x33, 0, 0]  // gamma 2.2
    let text =
      Array("desc".utf8) + big(0) + big(2) + Array("x\0".utf8) + [UInt8](repeating: 0, count: 78)
    let tags: [(String, [UInt8])] = [
      ("desc", text), ("wtpt", xyz(0.9642, 1, 0.8249)),
      ("rXYZ", xyz(0.1431, 0.0606, 0.7141)), ("gXYZ", xyz(0.3851, 0.7169, 0.0971)),
      ("bXYZ", xyz(0.4361, 0.2225, 0.0139)),
      ("rTRC", curve), ("gTRC", curve), ("bTRC", curve),
    ]
    var table = big(tags.count)
    var data: [UInt8] = []
    let start = 128 + 4 + 12 * tags.count
    for (name, body) in tags {
      table += Array(name.utf8) + big(start + data.count) + big(body.count)
      data += body
      while data.count % 4 != 0 { data.append(0) }
    }
    var header = big(start + data.count) + Array("test".utf8) + [2, 0x10, 0, 0]
    header += Array("mntrRGB XYZ ".utf8)
    header += [0x07, 0xe9, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0] + Array("acsp".utf8)
    header += [UInt8](repeating: 0, count: 68 - header.count)
    header += fixed(0.9642) + fixed(1) + fixed(0.8249)
    header += [UInt8](repeating: 0, count: 128 - header.count)
    return header + table + data
  }

  static func files() throws -> [[UInt8]] {
    let picture = SampleImages.flat(64, 64, [200, 100, 30, 255])
    var jpeg = JPEGEncodingOptions(quality: 95)
    jpeg.iccProfile = swappedProfile()
    var png = PNGEncodingOptions()
    png.iccProfile = swappedProfile()
    return [
      try ImageCodecs.encodeJPEG(picture, options: jpeg),
      try ImageCodecs.encodePNG(picture, options: png),
    ]
  }

  static func decode(_ bytes: [UInt8], _ color: DecodingOptions.Color) throws -> PixelBuffer {
    var options = DecodingOptions()
    options.color = color
    return try ImageCodecs.decode(bytes.span.bytes, options: options)
  }

  @Test func `samples are unchanged, or converted to sRGB on request`() throws {
    for bytes in try Self.files() {
      let plain = try Self.decode(bytes, .asIs)[30, 30]
      let converted = try Self.decode(bytes, .srgb)[30, 30]

      #expect(abs(Int(plain[0]) - 200) <= 3 && abs(Int(plain[2]) - 30) <= 3)
      #expect(abs(Int(converted[0]) - 30) <= 12 && abs(Int(converted[2]) - 200) <= 12)
      #expect(converted[3] == 255)
    }
  }

  @Test func `a thumbnail drops the profile, keeps it or converts from it`() throws {
    for bytes in try Self.files() {
      for treatment in ProfileTreatment.allCases {
        var recipe = ThumbnailRecipe(size: PixelSize(width: 16, height: 16))
        recipe.profile = treatment
        recipe.quality = 95
        let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)

        let info = try ImageCodecs.info(of: made.bytes.span.bytes)
        let pixel = try Self.decode(made.bytes, .asIs)[8, 8]
        #expect((info.iccProfileByteCount != nil) == (treatment == .keep))
        #expect((pixel[2] > pixel[0]) == (treatment == .convert))
        if treatment == .keep {
          let seen = try Self.decode(made.bytes, .srgb)[8, 8]
          #expect(seen[2] > seen[0])
        }
      }
    }
  }

  @Test func `an unusable profile leaves the samples unchanged, with a warning`() throws {
    let picture = SampleImages.flat(16, 16, [200, 100, 30, 255])
    var jpeg = JPEGEncodingOptions(quality: 95)
    jpeg.iccProfile = Array("no profile at all, but long enough to be embedded".utf8)
    let bytes = try ImageCodecs.encodeJPEG(picture, options: jpeg)
    var options = DecodingOptions()
    options.color = .srgb

    let reader = try FrameReader(bytes.span.bytes, options: options)
    let frame = try #require(try reader.next(of: bytes.span.bytes))

    #expect(abs(Int(frame.pixels[8, 8][0]) - 200) <= 3)
    #expect(reader.warnings == ["the embedded profile cannot be used"])
  }

  private static func png(_ image: PixelBuffer, _ profile: [UInt8]) throws -> [UInt8] {
    var options = PNGEncodingOptions()
    options.iccProfile = profile
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
    var gray = Self.swappedProfile()
    gray.replaceSubrange(16..<20, with: "GRAY".utf8)
    let picture = SampleImages.flat(16, 16, [200, 100, 30, 255])
    var options = JPEGEncodingOptions(quality: 95)
    options.iccProfile = gray
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
    var gray = Self.swappedProfile()
    gray.replaceSubrange(16..<20, with: "GRAY".utf8)
    var options = PNGEncodingOptions()
    options.iccProfile = gray
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
