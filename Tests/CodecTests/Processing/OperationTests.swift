import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// What a recipe does to an image besides the scaling.
@Suite struct `The operations of a thumbnail` {
  private static func image(
    _ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]
  ) -> PixelBuffer {
    var bytes: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { bytes += pixel(x, y) }
    }
    return PixelBuffer(size: PixelSize(width: width, height: height), bytes: bytes)
  }

  /// An image with structure at several scales.
  static let photo = image(300, 200) { x, y in
    let wave: Double = sin(Double(x) / 9) * cos(Double(y) / 7)
    let edge = (x / 40 + y / 30) % 2 * 60
    return [UInt8(110 + 70 * wave), UInt8(x * 3 / 5 + edge % 75), UInt8(y * 9 / 10 + 20), 255]
  }

  /// An image that is opaque in the middle and transparent at the edges.
  static let mark = image(50, 50) { x, y in
    let distance = max(abs(x - 25), abs(y - 25))
    return [UInt8(5 * x), 40, 200, UInt8(max(0, 255 - 9 * distance))]
  }

  static func recipe(_ change: (inout ThumbnailRecipe) -> Void) -> ThumbnailRecipe {
    var recipe = ThumbnailRecipe(
      size: PixelSize(width: 0, height: 1000), fit: .inside, format: .png)
    change(&recipe)
    return recipe
  }

  static func made(
    _ photo: PixelBuffer = photo, _ change: (inout ThumbnailRecipe) -> Void
  ) throws -> PixelBuffer {
    let bytes = try ImageCodecs.encodePNG(photo)
    let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe(change))
    return try ImageCodecs.decode(made.bytes.span.bytes)
  }

  static func watermark(_ place: String) throws -> Watermark {
    let bytes = try ImageCodecs.encodePNG(mark)
    let mark = try Watermark(of: bytes.span.bytes)
    return try #require(mark.placed(place))
  }

  /// The operations as libvips does them; each writes NAME.png of `im` and `mark`.
  private static let script = """
    import sys, pyvips
    folder = sys.argv[1]
    im = pyvips.Image.new_from_file(folder + "/photo.png")[:3].copy(interpretation="srgb")
    mark = pyvips.Image.new_from_file(folder + "/mark.png")
    def blur(image, sigma):
        return image.gaussblur(sigma, precision="float", min_ampl=0.005)
    def sharpen(sigma):
        return im * 2 - blur(im.cast("float"), sigma)
    faded = mark[:3].bandjoin((mark[3] * 0.7).rint().cast("uchar")).copy(interpretation="srgb")
    made = {
        "crop": im.crop(30, 20, 120, 90),
        "rotate": im.crop(30, 20, 120, 90).rot90(),
        "flip": im.rot270().fliphor(),
        "blur-0.5": blur(im, 0.5), "blur-1.5": blur(im, 1.5), "blur-4": blur(im, 4),
        "blur-20": blur(im, 20),
        "sharpen-0.8": sharpen(0.8), "sharpen-3": sharpen(3),
        "gray": im.colourspace("b-w"),
        "center": im.composite2(faded, "over", x=125, y=75),
        "southeast": im.composite2(faded, "over", x=250, y=150),
        "radius": im.bandjoin(pyvips.Image.svgload_buffer(
            b'<svg width="300" height="200"><rect width="300" height="200" rx="40" fill="#fff"/></svg>')[3]),
        "all": blur(im.crop(0, 0, 200, 100).rot90(), 2.5).colourspace("b-w"),
    }
    for name, image in made.items():
        image = image.rint().cast("uchar")
        image.write_to_file(folder + "/" + name + ".png")
    """

  /// The change of the recipe, and by how many levels of 255 a sample may differ at most and on
  /// average. What only moves pixels is exact; a Gaussian of whole numbers rounds otherwise, and
  /// three boxes, which take over at a deviation of 2, are not quite one.
  private static let golden:
    [(
      name: String, most: Int, mean: Double,
      change: @Sendable (inout ThumbnailRecipe) throws -> Void
    )] = [
      ("crop", 0, 0, { $0.crop = CropRectangle(text: "30,20,120,90") }),
      (
        "rotate", 0, 0,
        {
          ($0.crop, $0.orient) = (CropRectangle(text: "0.1,0.1,120,0.45"), Orient(6))
        }
      ),
      ("flip", 0, 0, { $0.orient = try #require(Orient(rotatedBy: 270, flipped: .horizontal)) }),
      ("blur-0.5", 2, 0.5, { $0.blurring = 0.5 }), ("blur-1.5", 2, 0.5, { $0.blurring = 1.5 }),
      ("blur-4", 3, 0.5, { $0.blurring = 4 }), ("blur-20", 3, 0.5, { $0.blurring = 20 }),
      ("sharpen-0.8", 2, 0.5, { $0.sharpening = 0.8 }), ("sharpen-3", 5, 1, { $0.sharpening = 3 }),
      ("gray", 1, 0.5, { $0.isGray = true }),
      ("center", 2, 0.1, { $0.watermark = try watermark("center") }),
      ("southeast", 2, 0.1, { $0.watermark = try watermark("southeast,0.25,0.7") }),
      // Arcs are drawn with other rules for the pixels that they cut.
      ("radius", 24, 0.1, { $0.cornerRadius = 40 }),
      (
        "all", 4, 1,
        {
          ($0.crop, $0.orient) = (CropRectangle(text: "0,0,200,100"), Orient(6))
          ($0.blurring, $0.isGray) = (2.5, true)
        }
      ),
    ]

  @Test(
    .enabled("needs pyvips of PyPI") {
      await PythonTool("libvips", importing: "pyvips") != nil
    })
  func `are those of libvips`() async throws {
    let python = try #require(await PythonTool("libvips", importing: "pyvips"))
    let scratch = TemporaryDirectory()
    for (name, image) in [("photo", Self.photo), ("mark", Self.mark)] {
      try Data(ImageCodecs.encodePNG(image)).write(
        to: URL(fileURLWithPath: scratch.path("\(name).png")))
    }
    #expect(try await python.run(Self.script, [scratch.path("")]) == 0)

    for (name, most, mean, change) in Self.golden {
      let file = try Data(contentsOf: URL(fileURLWithPath: scratch.path("\(name).png")))
      let theirs = try ImageCodecs.decode([UInt8](file).span.bytes)
      var recipe = Self.recipe { _ in }
      try change(&recipe)
      let bytes = try ImageCodecs.encodePNG(Self.photo)
      let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
      let ours = try ImageCodecs.decode(made.bytes.span.bytes)

      #expect(ours.size == theirs.size, "\(name)")
      var (largest, sum) = (0, 0)
      for index in 0..<min(ours.bytes.count, theirs.bytes.count) {
        let difference = abs(Int(ours.bytes[index]) - Int(theirs.bytes[index]))
        (largest, sum) = (max(largest, difference), sum + difference)
      }
      let average = Double(sum) / Double(ours.bytes.count)
      #expect(largest <= most && average <= mean, "\(name): \(largest), \(average)")
    }
  }

  @Test(arguments: 1...8, ["10,20,31,17", "0.5,0.25,0.5,0.75", "299,0,1,200"])
  func `crop and turn the upright image, whatever its EXIF says`(
    orientation: Int, crop: String
  ) throws {
    let crop = try #require(CropRectangle(text: crop))
    let jpeg = try ImageCodecs.encodeJPEG(Self.photo, options: .init(quality: 95))
    let file = SampleImages.jpeg(
      jpeg, inserting: [SampleImages.exif(orientation: UInt8(orientation))])
    let upright = try ImageCodecs.decode(file.span.bytes)
    guard let part = try? crop.part(of: upright.size) else {
      #expect(orientation >= 5)
      return
    }

    let made = try ImageCodecs.pixels(
      of: file.span.bytes,
      recipe: Self.recipe { ($0.crop, $0.orient) = (crop, Orient(8)) })

    #expect(made.size == PixelSize(width: part.size.height, height: part.size.width))
    for (x, y) in [(0, 0), (part.size.width - 1, part.size.height - 1)] {
      #expect(
        made[y, part.size.width - 1 - x] == upright[part.left + x, part.top + y], "\(x), \(y)")
    }
  }

  @Test(arguments: [
    "0,0,0,5", "0,0,5,0", "-1,0,5,5", "0.6,0,0.5,5", "1.1,0,0.1,5", "0,0,1.5,5",
    "1,2,3", "1,2,3,4,5", "a,b,c,d", "0,0,nan,1", "1e1,0,1,1", ",,,", "0,0,.,1",
    "99999999999999999999,0,1,1", "4000000000,0,1,1",
  ])
  func `refuse a crop that is empty or in no image`(text: String) {
    #expect(CropRectangle(text: text) == nil)
  }

  @Test(arguments: [
    "0,0,301,1", "300,0,1,1", "0,199,5,2", "2147483647,0,2147483647,1", "0.5,0,151,1",
  ])
  func `refuse a crop that is not inside this image`(text: String) throws {
    let crop = try #require(CropRectangle(text: text))

    let error = #expect(throws: ImageError.self) { try Self.made { $0.crop = crop } }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "a crop of \(crop) is not inside the image of 300x200 pixels")
  }

  @Test(arguments: [
    ("0.0,0.0,1.0,1.0", "0,0 300x200"), ("0.999,0.999,0.001,0.001", "299,199 1x1"),
    ("0.1,0.2,0.2,0.1", "30,40 60x20"), ("0.3333,0.0,0.6667,1.0", "100,0 200x200"),
    ("0,0,0.001,0.001", "0,0 1x1"),
  ])
  func `round the shares of a crop to whole pixels, at least one`(text: String, part: String) throws
  {
    let made = try #require(CropRectangle(text: text)).part(of: Self.photo.size)

    #expect("\(made.left),\(made.top) \(made.size)" == part)
  }

  @Test func `enlarge a part where that is asked for, also to the size of the whole`() throws {
    let made = try Self.made {
      ($0.crop, $0.enlarges) = (CropRectangle(text: "0,0,150,100"), true)
      ($0.size, $0.fit) = (PixelSize(width: 300, height: 200), .cover)
    }

    #expect(made.size == Self.photo.size && made != Self.photo)
    #expect(abs(Int(made[299, 199][0]) - Int(Self.photo[149, 99][0])) < 16)
  }

  @Test func `act on every frame of an animation, also one of which a watermark is larger`() throws
  {
    let frames = [0, 120].map { level in
      AnimationFrame(
        pixels: SampleImages.flat(60, 40, [200, UInt8(level), 20, 255]), delay: .milliseconds(50))
    }
    var options = EncodingOptions()
    options.isLossless = true
    let webp = try ImageCodecs.encodeWebP(frames, options: options)
    var recipe = ThumbnailRecipe(size: PixelSize(width: 30, height: 0), format: .webp)
    (recipe.isLossless, recipe.isGray, recipe.cornerRadius) = (true, true, 10_000)
    recipe.orient = Orient(6)
    recipe.watermark = try Self.watermark("northwest,1,1")

    let made = try ImageCodecs.thumbnail(of: webp.span.bytes, recipe: recipe)
    let shown = try FrameReader(made.bytes.span.bytes).rest(of: made.bytes).map(\.pixels)

    #expect(shown.count == 2 && made.size == PixelSize(width: 30, height: 45))
    for frame in shown {
      #expect(frame[0, 0][3] == 0 && frame[29, 44][3] == 0)
      let below = frame[15, 40]
      #expect(below[0] == below[1] && below[1] == below[2] && below[3] == 255)
      #expect(frame[15, 15][2] > frame[15, 15][1], "the mark keeps its colours")
    }
    #expect(shown[0][15, 40] != shown[1][15, 40])
  }

  @Test func `make several thumbnails of one decode, and say which cannot be made`() throws {
    let bytes = try ImageCodecs.encodeJPEG(Self.photo)
    let recipes = [
      ThumbnailRecipe(size: PixelSize(width: 100, height: 0)),
      Self.recipe { $0.crop = CropRectangle(text: "0,0,400,1") },
      Self.recipe { $0.size = PixelSize(width: 20, height: 20) },
    ]

    let made = try ImageCodecs.thumbnails(of: bytes.span.bytes, recipes: recipes)

    #expect(try made[0].get().size == PixelSize(width: 100, height: 67))
    #expect(throws: ImageError.self) { try made[1].get() }
    #expect(try made[2].get().format == .png)
  }

  @Test(
    arguments: [
      { $0.blurring = 0.2 }, { $0.blurring = 101 }, { $0.blurring = .nan }, { $0.sharpening = -1 },
      { $0.cornerRadius = -1 }, { $0.cornerRadius = .infinity },
    ] as [@Sendable (inout ThumbnailRecipe) -> Void])
  func `refuse values outside their ranges before an image is read`(
    change: @Sendable (inout ThumbnailRecipe) -> Void
  ) {
    let error = #expect(throws: ImageError.self) { try Self.recipe(change).check() }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: [
    "", "middle", "north,0", "north,1.1", "north,0.5,2", "north,0.5,-1", "north,a", "north,1,1,1",
    "north,nan",
  ])
  func `refuse a place that a watermark cannot have`(text: String) throws {
    let bytes = try ImageCodecs.encodePNG(Self.mark)

    #expect(try Watermark(of: bytes.span.bytes).placed(text) == nil)
  }

  @Test func `tell marks and their places apart`() throws {
    let other = try ImageCodecs.encodePNG(Self.photo)
    let marks = try [
      Self.watermark("north"), Self.watermark("north,0.5"), Self.watermark("north,0.25,0.5"),
      Self.watermark("south"), Watermark(of: other.span.bytes),
    ]

    #expect(Set(marks).count == 5 && Set(marks.map(\.identity)).count == 5)
    #expect(try Self.watermark("north") == Self.watermark("north,0.25,0.7"))
  }
}
