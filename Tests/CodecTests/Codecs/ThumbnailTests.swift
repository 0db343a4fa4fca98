import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Thumbnails` {
  static let photo = SampleImages.quarters(400, 240)

  static func recipe(
    _ width: Int, _ height: Int, _ fit: FitMode = .cover,
    _ change: (inout ThumbnailRecipe) -> Void = { _ in }
  ) -> ThumbnailRecipe {
    with(ThumbnailRecipe(size: PixelSize(width: width, height: height), fit: fit), change)
  }

  static func decoded(_ made: EncodedImage) throws -> PixelBuffer {
    try ImageCodecs.decode(made.bytes.span.bytes)
  }

  static func made(_ bytes: [UInt8], _ recipe: ThumbnailRecipe) throws -> EncodedImage {
    try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
  }

  @Test func `an opaque image becomes a JPEG, one with alpha a PNG`() throws {
    let opaque = try ImageCodecs.encodePNG(Self.photo)
    let clear = try ImageCodecs.encodePNG(SampleImages.translucent(90, 60))

    let one = try Self.made(opaque, Self.recipe(50, 50))
    let other = try Self.made(clear, Self.recipe(50, 50))

    #expect(one.format == .jpeg && ImageFormat(sniffing: one.bytes.span.bytes) == .jpeg)
    #expect(other.format == .png && ImageFormat(sniffing: other.bytes.span.bytes) == .png)
  }

  @Test(arguments: FitMode.allCases)
  func `the result has its geometry's size, never more than the box`(fit: FitMode) throws {
    let jpeg = try ImageCodecs.encodeJPEG(Self.photo, options: .init(quality: 90))

    for (width, height) in [(100, 100), (64, 0), (33, 57), (1000, 1000)] {
      let recipe = Self.recipe(width, height, fit)
      let made = try Self.made(jpeg, recipe)
      let geometry = try FitGeometry(source: Self.photo.size, box: recipe.size, fit: fit)

      #expect(made.size == geometry.canvas)
      #expect(try Self.decoded(made).size == geometry.canvas)
    }
  }

  @Test(arguments: 1...8)
  func `an EXIF orientation is applied exactly once`(orientation: Int) throws {
    let plain = try ImageCodecs.encodeJPEG(Self.photo, options: .init(quality: 95))
    let turned = SampleImages.jpeg(
      plain, inserting: [SampleImages.exif(orientation: UInt8(orientation))])
    // An off-center crop shows whether it, too, applies to the upright image.
    let recipe = Self.recipe(40, 40) {
      $0.format = .png
      $0.focus = FocalPoint(x: 0.2, y: 0.1)
    }

    let made = try Self.decoded(try Self.made(turned, recipe))
    let upright = try ImageCodecs.decode(turned.span.bytes)
    let geometry = try FitGeometry(
      source: upright.size, box: recipe.size, fit: .cover, focus: recipe.focus)
    let expected = try upright.resampled(geometry.region, to: geometry.content, filter: .lanczos3)

    // DCT scaling and its ringing differ from the filter's at the edges of quarters.
    let near = zip(made.bytes, expected.bytes).filter { abs(Int($0) - Int($1)) > 16 }
    #expect(near.count < made.bytes.count / 40)
  }

  @Test func `DCT scaling leaves at least twice the size`() throws {
    func eighths(_ width: Int, _ box: Int) throws -> Int {
      let source = PixelSize(width: width, height: width)
      return try OutputPlan(
        .thumbnail(ThumbnailRecipe(size: PixelSize(width: box, height: box))),
        ImageInfo(format: .jpeg, size: source, colorModel: .ycbcr), limits: ImageLimits()
      ).eighths(among: [1, 2, 4])
    }

    #expect(try eighths(3200, 200) == 1)
    #expect(try eighths(3199, 200) == 2)
    #expect(try eighths(800, 200) == 4)
    #expect(try eighths(799, 200) == 8)
    #expect(try eighths(100, 200) == 8)
  }

  @Test func `contain pads with transparency, or with the background`() throws {
    let jpeg = try ImageCodecs.encodeJPEG(Self.photo, options: .init(quality: 90))

    let clear = try Self.made(jpeg, Self.recipe(60, 60, .contain))
    let blue = try Self.made(
      jpeg,
      Self.recipe(60, 60, .contain) {
        $0.background = PixelColor(red: 0, green: 0, blue: 255)
        $0.format = .png
      })

    #expect(clear.format == .png)
    #expect(try Self.decoded(clear)[30, 0] == [0, 0, 0, 0])
    #expect(try Self.decoded(blue)[30, 0] == [0, 0, 255, 255])
    #expect(try Self.decoded(blue)[30, 30][3] == 255)
  }

  @Test func `quality and frame outside their range are errors`() throws {
    let jpeg = try ImageCodecs.encodeJPEG(Self.photo)

    for recipe in [
      Self.recipe(10, 10) { $0.quality = 0 }, Self.recipe(10, 10) { $0.quality = 101 },
      Self.recipe(10, 10) { $0.frame = -1 }, Self.recipe(10, 10) { $0.frame = 1 },
      Self.recipe(0, 0),
    ] {
      let error = imageError { try Self.made(jpeg, recipe) }
      #expect(error?.code == .invalidArgument)
    }
  }

  static let refused: [(recipe: ThumbnailRecipe, code: ImageError.Code)] = [
    (recipe(10, 10) { $0.quality = 0 }, .invalidArgument),
    (recipe(10, 10) { $0.quality = 101 }, .invalidArgument),
    (recipe(10, 10) { $0.frame = -1 }, .invalidArgument), (recipe(0, 0), .invalidArgument),
    (recipe(-1, 10), .invalidArgument), (recipe(70_000, 0), .invalidArgument),
    (recipe(10, 10) { $0.format = .bmp }, .unsupportedFormat),
    (recipe(500, 20, .contain) { $0.maximumSide = 499 }, .limitExceeded),
    (
      recipe(0, 500) { ($0.maximumSide, $0.enlarges) = (499, true) }, .limitExceeded
    ),
  ]

  @Test(arguments: refused.indices)
  func `a recipe that fits no image is refused by its check as by its use`(index: Int) throws {
    let (recipe, code) = Self.refused[index]
    let jpeg = try ImageCodecs.encodeJPEG(Self.photo)

    let early = imageError { try recipe.check() }
    let late = imageError { try ImageCodecs.pixels(of: jpeg.span.bytes, recipe: recipe) }

    #expect(early?.code == code && late?.code == code)
    #expect(early?.message == late?.message)
  }

  @Test func `a recipe that fits some image passes its check`() throws {
    for recipe in [
      Self.recipe(10, 0), Self.recipe(10, 10) { $0.frame = 7 },
      Self.recipe(500, 500) { $0.maximumSide = 499 },
      Self.recipe(500, 500, .inside) { ($0.maximumSide, $0.enlarges) = (499, true) },
      Self.recipe(500, 0, .contain) { $0.maximumSide = 499 },
    ] {
      try recipe.check()
    }
  }

  static let made: [ThumbnailRecipe] =
    FitMode.allCases.flatMap { [recipe(50, 50, $0), recipe(60, 0, $0)] } + [
      recipe(30, 60) { $0.focus = FocalPoint(x: 0.1, y: 0.9) },
      recipe(30, 60) { $0.focusesOnAttention = true },
      recipe(500, 600) { $0.enlarges = true },
      recipe(60, 60, .contain) { ($0.background, $0.filter) = (.black, .area) },
    ]

  @Test(arguments: made.indices)
  func `a thumbnail of pixels is the one of their file`(index: Int) throws {
    let (recipe, limits) = (Self.made[index], ImageLimits())
    for image in [Self.photo, SampleImages.translucent(95, 70)] {
      let file = try ImageCodecs.encodePNG(image)

      let whole = try ImageCodecs.pixels(of: file.span.bytes, recipe: recipe)

      #expect(try DecodePass.thumbnail(of: image, recipe: recipe, limits: limits) == whole)
    }
  }
}
