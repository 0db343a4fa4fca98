import ImageCodecs
import ImageModel
import Testing

@testable import imgcache

@Suite struct `The options of a thumbnail` {
  @Test func `without others than the size crop a frame of each to quality 80`() throws {
    let recipe = try ThumbnailOptions.parse(["--size", "200x100"]).recipes[0]

    #expect(recipe == ThumbnailRecipe(size: PixelSize(width: 200, height: 100), fit: .cover))
    #expect(recipe.quality == 80)
    #expect(recipe.format == nil && recipe.frame == nil)
    #expect(!recipe.isLossless && !recipe.enlarges && !recipe.focusesOnAttention)
  }

  @Test func `all arrive in the recipe`() throws {
    let recipe = try ThumbnailOptions.parse([
      "--size", "640x0", "--fit", "inside", "--format", "webp", "--quality", "lossless",
      "--frame", "3", "--enlarge", "--background", "ff8000", "--focus", "0.25,0.75",
      "--profile", "convert", "--crop", "10,0.0,20,0.5", "--rotate", "90", "--flip", "h",
      "--sharpen", "0.5", "--blur", "100", "--gray", "--radius", "12",
    ]).recipes[0]

    #expect(recipe.size == PixelSize(width: 640, height: 0))
    #expect(recipe.fit == .inside)
    #expect(recipe.format == .webp)
    #expect(recipe.isLossless && recipe.enlarges)
    #expect(recipe.frame == 3)
    #expect(recipe.background == PixelColor(red: 255, green: 128, blue: 0))
    #expect(recipe.focus == FocalPoint(text: "0.25,0.75"))
    #expect(recipe.profile == .convert)
    #expect(recipe.crop == CropRectangle(text: "10,0.0,20,0.5"))
    #expect(recipe.orient == Orient(5))
    #expect(recipe.sharpening == 0.5 && recipe.blurring == 100)
    #expect(recipe.isGray && recipe.cornerRadius == 12)
  }

  @Test func `--fit goes before the fit in the size, and a focus may be auto`() throws {
    let both = try ThumbnailOptions.parse(["--size", "9x9:inside", "--fit", "contain"]).recipes[0]
    let one = try ThumbnailOptions.parse(["--size", "9x9:inside", "--focus", "auto"]).recipes[0]

    #expect(both.fit == .contain && one.fit == .inside)
    #expect(one.focusesOnAttention && one.focus == .center)
  }

  @Test(arguments: [("1", 1), ("100", 100), ("lossless", nil)])
  func `a quality is 1 to 100 or lossless`(text: String, value: Int?) throws {
    let quality = try #require(ThumbnailQuality(argument: text))

    #expect(quality.value == value)
    #expect(quality.defaultValueDescription == text)
  }

  @Test(arguments: [
    ("auto", nil), ("jpeg", ImageFormat.jpeg), ("jpg", .jpeg), ("png", .png), ("gif", .gif),
    ("webp", .webp), ("avif", .avif),
  ])
  func `a format is read by its names`(text: String, format: ImageFormat?) throws {
    let argument = try #require(ThumbnailFormat(argument: text))

    #expect(argument.format == format)
    #expect(argument.defaultValueDescription == format?.rawValue ?? "auto")
  }

  @Test func `another quality or format, or a focus outside the image is refused`() {
    for text in ["0", "101", "-5", "80%", "Lossless", ""] {
      #expect(ThumbnailQuality(argument: text) == nil)
    }
    for text in ["heic", "tiff", ""] { #expect(ThumbnailFormat(argument: text) == nil) }
    for text in ["1.5,0", "0.5", "0.5,-0.1", "nan,0", "centre", ""] {
      #expect(ThumbnailFocus(argument: text) == nil)
    }
    for text in ["0.2", "101", "0", "-1", "nan", "1px", ""] {
      #expect(Deviation(argument: text) == nil)
    }
    for text in ["-1", "65536", "nan", ""] { #expect(CornerRadius(argument: text) == nil) }
  }

  @Test(arguments: [
    ("logo.png", "logo.png"), ("a,b.png", "a,b.png"), ("a,b.png,north", "a,b.png"),
    ("center,center,0.5", "center"), ("a.png,southeast,0.1,1", "a.png"),
  ])
  func `the file of a watermark is what precedes the position`(text: String, path: String) {
    #expect(WatermarkName(argument: text)?.path == path)
  }

  @Test(arguments: [(ImageFormat.jpeg, false), (.png, true), (.webp, true), (nil, true)])
  func `lossless is refused for a format that loses`(format: ImageFormat?, isAccepted: Bool)
    throws
  {
    let options = try ThumbnailOptions.parse(["--size", "9x9", "--quality", "lossless"])

    #expect(((try? options.check(format)) != nil) == isAccepted)
  }
}
