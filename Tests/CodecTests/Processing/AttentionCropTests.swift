import ImageModel
import Testing

@testable import ImageCodecs
@testable import TestSupport

@Suite struct `Attention crop` {
  /// The background of a scene.
  enum Background: Sendable, CaseIterable {
    case flat, noisy
  }

  /// Where the subject is, in pixels of a scene.
  struct Place: Sendable, CustomTestStringConvertible {
    var scene, crop: PixelSize
    var left, top: Int

    init(_ scene: (Int, Int), _ crop: (Int, Int), at left: Int, _ top: Int) {
      self.scene = PixelSize(width: scene.0, height: scene.1)
      self.crop = PixelSize(width: crop.0, height: crop.1)
      self.left = left
      self.top = top
    }

    var testDescription: String { "\(crop) of \(scene), subject at \(left),\(top)" }
  }

  static let side = 60

  static let places = [
    Place((300, 200), (200, 200), at: 4, 70),
    Place((300, 200), (200, 200), at: 236, 70),
    Place((200, 300), (200, 200), at: 70, 4),
    Place((200, 300), (200, 200), at: 70, 236),
    Place((400, 200), (80, 200), at: 90, 100),
    Place((400, 200), (80, 200), at: 310, 20),
    Place((200, 500), (200, 100), at: 20, 150),
    Place((300, 300), (120, 100), at: 12, 10),
    Place((300, 300), (120, 100), at: 200, 220),
    Place((700, 150), (100, 150), at: 580, 60),
  ]

  /// Gray, flat or with noise of 32 levels, and a square of orange and dark stripes.
  static func scene(_ place: Place, on background: Background) -> PixelBuffer {
    var random = SplitMix64(seed: 5)
    var image = PixelBuffer(clear: place.scene)
    image.withMutableBytes { raw in
      for pixel in 0..<raw.count / 4 {
        let noise = background == .noisy ? UInt8(random.next() & 31) : 0
        let gray = 120 + noise
        raw.storeBytes(
          of: SIMD4(gray, gray, gray, 255), toByteOffset: 4 * pixel, as: SIMD4<UInt8>.self)
      }
    }
    for stripe in 0..<6 {
      let color =
        stripe % 2 == 0
        ? PixelColor(red: 230, green: 120, blue: 30) : PixelColor(red: 60, green: 40, blue: 30)
      image.draw(
        PixelBuffer(PixelSize(width: 10, height: side), filledWith: color),
        left: place.left + 10 * stripe, top: place.top)
    }
    return image
  }

  static func mirrored(_ image: PixelBuffer) -> PixelBuffer {
    var mirrored = image
    mirrored.withMutableBytes { raw in
      let pixels = raw.bindMemory(to: UInt32.self)
      for row in 0..<image.height { pixels[row * image.width..<(row + 1) * image.width].reverse() }
    }
    return mirrored
  }

  @Test(arguments: places, Background.allCases)
  func `a subject is kept whole wherever it is, also in the mirrored image`(
    place: Place, background: Background
  ) {
    let image = Self.scene(place, on: background)
    let (left, top) = AttentionCrop.offset(of: place.crop, in: image)
    let other = AttentionCrop.offset(of: place.crop, in: Self.mirrored(image))

    #expect(left <= place.left && left + place.crop.width >= place.left + Self.side)
    #expect(top <= place.top && top + place.crop.height >= place.top + Self.side)
    #expect(left >= 0 && left + place.crop.width <= place.scene.width)
    #expect(top >= 0 && top + place.crop.height <= place.scene.height)
    #expect(abs(place.scene.width - place.crop.width - left - other.left) <= 1)
    #expect(abs(top - other.top) <= 1)
  }

  @Test(arguments: [[UInt8]]([[0, 0, 0, 255], [200, 150, 120, 255], [0, 80, 255, 255]]))
  func `an image of one color is cropped in the center`(color: [UInt8]) {
    for (width, height, crop, left, top) in [
      (300, 200, (200, 200), 50, 0), (200, 301, (200, 200), 0, 50), (90, 90, (31, 20), 29, 35),
      (65, 1, (2, 1), 31, 0), (1, 1, (5, 5), 0, 0), (4, 3, (4, 3), 0, 0), (2, 2, (9, 2), 0, 0),
    ] {
      let offset = AttentionCrop.offset(
        of: PixelSize(width: crop.0, height: crop.1),
        in: SampleImages.flat(width, height, color))

      #expect(offset == (left, top))
    }
  }

  @Test func `transparent pixels do not count`() {
    var hidden = Self.scene(Self.places[0], on: .noisy)
    let half = hidden.width / 2
    hidden.withMutableBytes { raw in
      for pixel in 0..<raw.count / 4 { raw[4 * pixel + 3] = 0 }
    }
    // The subject at the left is transparent, and a few stripes at the right are not.
    var partly = hidden
    partly.withMutableBytes { raw in
      for y in 80..<120 {
        for x in half + 80..<half + 120 {
          let at = 4 * (y * 2 * half + x)
          raw[at] = x % 16 < 8 ? 255 : 0
          raw[at + 3] = 255
        }
      }
    }
    let crop = PixelSize(width: 200, height: 200)

    #expect(AttentionCrop.offset(of: crop, in: hidden) == (50, 0))
    #expect(AttentionCrop.offset(of: crop, in: partly).left >= 80)
  }

  /// A colour of skin and a red, each with the gray of its brightness.
  @Test(arguments: [
    (PixelColor(red: 224, green: 172, blue: 138), UInt8(184)),
    (PixelColor(red: 240, green: 20, blue: 40), UInt8(88)),
  ])
  func `skin and saturated colors attract the crop as edges do`(color: PixelColor, gray: UInt8) {
    let square = PixelSize(width: 40, height: 40)
    var image = SampleImages.flat(300, 100, [60, 60, 60, 255])
    let left = PixelBuffer(square, filledWith: PixelColor(red: gray, green: gray, blue: gray))
    image.draw(left, left: 20, top: 30)
    image.draw(PixelBuffer(square, filledWith: color), left: 240, top: 30)

    let offset = AttentionCrop.offset(of: PixelSize(width: 100, height: 100), in: image)

    #expect(offset.left >= 180)
  }

  /// The crops of the places on noise. Found once; another machine, compiler or processor must
  /// find the same.
  static let knownOffsets = [
    (1, 0), (99, 0), (0, 0), (0, 96), (80, 0), (295, 0), (0, 131), (2, 0), (158, 188), (554, 0),
  ]

  @Test func `offsets are the same on every machine`() {
    let crop = PixelSize(width: 70, height: 50)

    #expect(AttentionCrop.offset(of: crop, in: SampleImages.gradient(160, 90)) == (64, 15))
    #expect(AttentionCrop.offset(of: crop, in: SampleImages.noise(90, 120, seed: 11)) == (10, 26))
    #expect(AttentionCrop.offset(of: crop, in: SampleImages.translucent(133, 77)) == (29, 4))
    #expect(AttentionCrop.offset(of: crop, in: SampleImages.quarters(301, 201)) == (108, 73))
    for (place, known) in zip(Self.places, Self.knownOffsets) {
      let offset = AttentionCrop.offset(of: place.crop, in: Self.scene(place, on: .noisy))
      #expect(offset == known, "\(place)")
    }
  }
}
