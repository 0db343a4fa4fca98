import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `An image in few colors` {
  /// The image that the indices and the palette describe; `nil` for a transparent pixel.
  static func colors(_ image: IndexedImage) -> [PixelColor?] {
    image.indices.map { index in
      index == IndexedImage.transparent ? nil : image.palette[Int(index)]
    }
  }

  static func colors(_ image: PixelBuffer) -> [PixelColor?] {
    stride(from: 0, to: image.bytes.count, by: 4).map { at in
      let part = image.bytes[at..<at + 4].map(\.self)
      return part[3] < 128 ? nil : PixelColor(red: part[0], green: part[1], blue: part[2])
    }
  }

  /// An image of `count` different colors, each at least once.
  static func image(colors count: Int, seed: UInt64) -> PixelBuffer {
    var random = SplitMix64(seed: seed)
    let size = PixelSize(width: 24, height: 20)
    var bytes: [UInt8] = []
    for at in 0..<size.pixelCount {
      let color = at < count ? at : Int(random.next() % UInt64(count))
      bytes += [UInt8(color * 7 % 256), UInt8(color), UInt8(255 - color * 3 % 256), 255]
    }
    return PixelBuffer(size: size, bytes: bytes)
  }

  @Test(arguments: [1, 2, 3, 17, 254, 255])
  func `keeps as many colors as are allowed, each exactly`(count: Int) throws {
    let image = Self.image(colors: count, seed: UInt64(count))

    let reduced = try IndexedImage(reducing: image, to: count)

    #expect(reduced.size == image.size)
    #expect(reduced.palette.count == count)
    #expect(Set(reduced.palette).count == count)
    #expect(Self.colors(reduced) == Self.colors(image))
  }

  @Test func `is nearer to the original the more colors there are`() throws {
    let image = SampleImages.gradient(64, 64)
    let errors = try [4, 16, 64, 255].map { limit in
      let made = Self.colors(try IndexedImage(reducing: image, to: limit))
      return zip(made, Self.colors(image)).reduce(0) { total, pair in
        guard let one = pair.0, let other = pair.1 else { return total + 1_000_000 }
        let parts = [
          Int(one.red) - Int(other.red), Int(one.green) - Int(other.green),
          Int(one.blue) - Int(other.blue),
        ]
        return total + parts.reduce(0) { $0 + $1 * $1 }
      }
    }

    #expect(errors == errors.sorted(by: >), "\(errors)")
    #expect(errors[3] * 8 < errors[0])
  }

  @Test func `shows what is less than half opaque as transparent`() throws {
    var image = SampleImages.flat(4, 1, [10, 20, 30, 255])
    image.withMutableBytes { bytes in
      for (x, alpha) in [0, 127, 128, 255].enumerated() { bytes[4 * x + 3] = UInt8(alpha) }
    }

    let reduced = try IndexedImage(reducing: image)

    #expect(reduced.indices == [255, 255, 0, 0])
    #expect(reduced.palette == [PixelColor(red: 10, green: 20, blue: 30)])
    let clear = try IndexedImage(reducing: PixelBuffer(clear: PixelSize(width: 3, height: 2)))
    #expect(clear.palette.isEmpty && clear.indices == Array(repeating: 255, count: 6))
  }

  @Test(arguments: [0, 256, -1, .max, .min])
  func `cannot have other than 1 to 255 colors`(limit: Int) {
    let error = imageError { try IndexedImage(reducing: SampleImages.gradient(3, 3), to: limit) }

    #expect(error?.code == .invalidArgument)
  }
}
