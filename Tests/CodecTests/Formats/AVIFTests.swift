import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// The files in Tests/Fixtures/avif are one drawing of 48 x 32 pixels, written by `avifenc -s 4 --min 2
/// --max 6 -y 444`, with `--irot 1`, with `--imir 1 -d 10`, and with an alpha of 40 on the left.
@Suite struct `AVIF` {
  static func file(_ name: String) throws -> [UInt8] {
    let file = SharedFixtures.packageRoot.appending(path: "Tests/Fixtures/avif/\(name).avif")
    return [UInt8](try Data(contentsOf: file))
  }

  #if AVIF
    /// The drawing before any rotation.
    static func expected(alpha: Bool = false) -> PixelBuffer {
      var bytes: [UInt8] = []
      for y in 0..<32 {
        for x in 0..<48 {
          bytes += [UInt8(x * 255 / 48), UInt8(y * 255 / 32), 90, alpha && x < 24 ? 40 : 255]
        }
      }
      return PixelBuffer(size: PixelSize(width: 48, height: 32), bytes: bytes)
    }

    static func largestDifference(_ one: PixelBuffer, _ other: PixelBuffer) -> Int {
      zip(one.bytes, other.bytes).map { abs(Int($0) - Int($1)) }.max() ?? 0
    }

    /// 90 degrees counterclockwise is orientation 8, and a mirror image 2.
    @Test(arguments: [
      ("plain", 1, 8), ("turned", 8, 8), ("mirrored-ten-bit", 2, 10), ("alpha", 1, 8),
    ])
    func `a still image is decoded upright`(name: String, orientation: Int, bitDepth: Int) throws {
      let bytes = try Self.file(name)
      let expected = Self.expected(alpha: name == "alpha").upright(Orientation(orientation))

      let info = try ImageCodecs.info(of: bytes.span.bytes)
      let checked = try ImageCodecs.check(bytes.span.bytes, level: .decode)
      let pixels = try ImageCodecs.decode(bytes.span.bytes)

      #expect(info.format == .avif && info.size == expected.size)
      #expect(info.orientation == orientation && info.bitDepth == bitDepth)
      #expect(info.hasAlpha == (name == "alpha"))
      #expect(checked.placeholder != nil)
      #expect(pixels.size == expected.size)
      #expect(Self.largestDifference(pixels, expected) <= 8)
    }

    @Test func `an AVIF gives a thumbnail, and no thumbnail is an AVIF`() throws {
      let bytes = try Self.file("turned")
      var recipe = ThumbnailRecipe(size: PixelSize(width: 16, height: 0))

      let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
      recipe.format = .avif
      let error = imageError { try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe) }

      #expect(made.format == .jpeg && made.size == PixelSize(width: 16, height: 24))
      #expect(error?.code == .unsupportedFormat)
    }

    @Test func `limits are compared with the header`() throws {
      let bytes = try Self.file("plain")
      let limits = with(ImageLimits()) { $0.maximumPixels = 1000 }

      let error = imageError { try ImageCodecs.info(of: bytes.span.bytes, limits: limits) }

      #expect(error?.code == .limitExceeded)
    }

    @Test func `a file truncated at any length is refused`() throws {
      let bytes = try Self.file("plain")

      for count in 1..<bytes.count {
        let cut = Array(bytes.prefix(count))
        for level in [ImageCheck.structure, .decode] {
          imageError { try ImageCodecs.check(cut.span.bytes, level: level) }
        }
      }
    }

    @Test(.needsFixtures)
    func `each valid file of the suite has the expected size`() throws {
      for (name, expected, bytes) in try Conformance.validFiles("avif") {
        let pixels = try ImageCodecs.decode(bytes.span.bytes)
        let isExpected = (expected.accept ?? []).contains {
          $0.width == pixels.width && $0.height == pixels.height
        }
        #expect(isExpected, "\(name)")
      }
    }
  #else
    @Test func `AVIF is refused by name without the trait`() throws {
      let bytes = try Self.file("plain")

      let error = imageError { try ImageCodecs.info(of: bytes.span.bytes) }

      #expect(error?.code == .unsupportedFormat)
      #expect(error?.message.contains("AVIF") == true && error?.message.contains("trait") == true)
    }
  #endif
}
