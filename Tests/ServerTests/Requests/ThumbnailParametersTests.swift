import Testing

@testable import HTTPListening
@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport
@testable import ThumbnailServer

@Suite struct `Parameters of thumbnails` {
  private func read(
    _ rest: String, _ accept: ContentNegotiation = .any, rules: ThumbnailRules = ThumbnailRules()
  ) throws -> ThumbnailParameters {
    try ThumbnailParameters.thumbnail(
      QueryPairs(target: "/thumb?url=http%3A%2F%2Fa.b%2F&" + rest), accepting: accept, rules: rules)
  }

  @Test func `all of them reach the recipe`() throws {
    let wanted = try read(
      "w=100&h=50&dpr=2&fit=contain&format=png&q=55&frame=3&enlarge=1&background=ff0080&focus=0.25,1&profile=keep&placeholder=1"
    )

    let recipe = try #require(wanted.recipe)
    #expect(recipe.size == PixelSize(width: 200, height: 100))
    #expect(recipe.fit == .contain)
    #expect(recipe.format == .png)
    #expect(recipe.quality == 55)
    #expect(recipe.frame == 3)
    #expect(recipe.enlarges)
    #expect(recipe.background == PixelColor(hex: "ff0080"))
    #expect(recipe.focus == FocalPoint(x: 0.25, y: 1))
    #expect(recipe.profile == .keep)
    #expect(wanted.wantsPlaceholder)
    #expect(!wanted.isNegotiated)
  }

  @Test func `operations reach the recipe, and a watermark by its name`() throws {
    let png = try ImageCodecs.encodePNG(SampleImages.flat(4, 4, [1, 2, 3, 255]))
    var rules = ThumbnailRules()
    rules.watermarks["logo"] = try Watermark(of: png.span.bytes)

    let recipe = try #require(
      try read(
        "w=100&crop=10,0.0,20,0.5&rotate=90&flip=h&sharpen=0.5&blur=100&gray=1&radius=12.5&watermark=logo,north,0.5",
        rules: rules
      ).recipe)

    #expect(recipe.crop == CropRectangle(text: "10,0.0,20,0.5"))
    #expect(recipe.orient == Orient(5))
    #expect(recipe.sharpening == 0.5 && recipe.blurring == 100)
    #expect(recipe.isGray && recipe.cornerRadius == 12.5)
    #expect(recipe.watermark == rules.watermarks["logo"]?.placed("north,0.5"))
    #expect(
      try read("w=100&watermark=logo", rules: rules).recipe?.watermark
        == rules.watermarks["logo"])
  }

  @Test(arguments: [
    "crop=0,0,0,1", "crop=0.5,0,0.6,1", "rotate=45", "rotate=0", "flip=x", "blur=0.2", "blur=101",
    "sharpen=0", "gray=yes", "radius=65536", "radius=-1", "watermark=other", "watermark=logo,up",
    "watermark=logo,north,2",
  ])
  func `operations outside their ranges are refused`(text: String) throws {
    let png = try ImageCodecs.encodePNG(SampleImages.flat(4, 4, [1, 2, 3, 255]))
    var rules = ThumbnailRules()
    rules.watermarks["logo"] = try Watermark(of: png.span.bytes)

    let problem = #expect(throws: Problem.self) { try read("w=1&" + text, rules: rules) }
    #expect(problem?.status == .badRequest)
  }

  @Test func `the defaults are those of the command thumb`() throws {
    let wanted = try read("w=100")

    var recipe = ThumbnailRecipe(size: PixelSize(width: 100, height: 0))
    recipe.maximumSide = 4096
    recipe.formatsBySource = [.png: .png, .gif: .gif]
    #expect(wanted.recipe == recipe)
    #expect(wanted.isNegotiated)
    #expect(!wanted.wantsPlaceholder)
  }

  @Test(arguments: [
    (ContentNegotiation.any, ImageFormat?.none), (.jpeg, .jpeg), (.png, .png),
    (.gif, .gif), (.webp, .webp), (.avif, .avif), (.avifAndWebP, .avif),
  ])
  func `an unspecified format follows Accept, a named one does not`(
    accept: ContentNegotiation, format: ImageFormat?
  ) throws {
    let rules = with(ThumbnailRules()) { $0.negotiatedFormats = [.avif, .webp] }
    #expect(try read("w=1&format=auto", accept, rules: rules).recipe?.format == format)
    #expect(try read("w=1&format=jpg", accept, rules: rules).recipe?.format == .jpeg)
  }

  static let choices:
    [([ImageFormat], ContentNegotiation, still: ImageFormat?, png: ImageFormat?, gif: ImageFormat?)] =
      [
        ([.avif, .webp], .avifAndWebP, .avif, .webp, .webp),
        ([.webp, .avif], .avifAndWebP, .webp, .webp, .webp),
        ([.avif, .webp], .avif, .avif, .avif, .gif), ([.avif], .avifAndWebP, .avif, .avif, .gif),
        ([.webp], .avifAndWebP, .webp, .webp, .webp), ([.webp], .avif, nil, .png, .gif),
        ([], .avifAndWebP, nil, .png, .gif), ([.avif, .webp], .jpeg, .jpeg, .jpeg, .jpeg),
      ]

  @Test(arguments: choices.indices)
  func `the first format that the client names is chosen, for drawings and what moves another`(
    index: Int
  ) throws {
    let (formats, accept, still, png, gif) = Self.choices[index]
    let rules = with(ThumbnailRules()) { $0.negotiatedFormats = formats }

    let recipe = try #require(try read("w=1", accept, rules: rules).recipe)
    let lossless = try #require(try read("w=1&q=lossless", accept, rules: rules).recipe)

    #expect(recipe.following(.jpeg).format == still && recipe.following(.png).format == png)
    #expect(recipe.following(.gif).format == gif && lossless.format != .avif)
  }

  @Test(arguments: [
    "", "w=0&h=0", "w=-1", "w=1.5", "w=1e3", "w=+1", "w=%201", "w=abc", "w=99999999999", "w=1&q=0",
    "w=1&q=101", "w=1&dpr=0", "w=1&dpr=5", "w=1&dpr=nan", "w=1&dpr=1e1", "w=1&dpr=0x2",
    "w=1&fit=squash", "w=1&format=heic", "w=1&frame=-1", "w=1&background=red", "w=1&focus=2,0",
    "w=1&focus=0.5", "w=1&q=lossless&format=jpeg", "w=1&placeholder=2", "w=1&enlarge=yes",
    "w=1&unknown=1", "w=1&profile=srgb", "w=1&W=2", "w=1&preset=none",
  ])
  func `an invalid parameter is 400`(rest: String) {
    #expect {
      try read(rest)
    } throws: {
      ($0 as? Problem)?.status == .badRequest
    }
  }

  @Test func `only listed sizes are made, however the size is given`() throws {
    var rules = ThumbnailRules()
    rules.allowedSizes = [PixelSize(width: 200, height: 200)]

    #expect(try read("w=200&h=200", rules: rules).recipe != nil)
    #expect(try read("w=100&h=100&dpr=2", rules: rules).recipe != nil)
    for rest in ["w=200", "w=201&h=200", "w=200&h=200&dpr=1.01", "w=100&h=100", "w=0&h=200"] {
      #expect(throws: Problem.self, "\(rest)") { try read(rest, rules: rules) }
    }
  }

  @Test(arguments: [
    ("w=51&h=0", PixelSize(width: 100, height: 0)), ("w=101", PixelSize(width: 120, height: 0)),
    ("w=120&h=1", PixelSize(width: 120, height: 50)),
    ("h=60&dpr=2", PixelSize(width: 0, height: 120)),
  ])
  func `sides are rounded up to steps, and to the limit where a step leads beyond it`(
    rest: String, size: PixelSize
  ) throws {
    var rules = ThumbnailRules()
    rules.rounding = 50
    rules.maximumSide = 120

    #expect(try read(rest, rules: rules).recipe?.size == size)
    #expect(throws: Problem.self) { try read("w=121", rules: rules) }
  }

  @Test(arguments: [
    ("w=400&h=1&dpr=0.4", PixelSize(width: 160, height: 1)),
    ("w=1&h=400&dpr=0.1", PixelSize(width: 1, height: 40)),
    ("w=1&dpr=0.1", PixelSize(width: 1, height: 0)),
    ("w=0&h=400&dpr=0.4", PixelSize(width: 0, height: 160)),
    ("w=400&h=1&dpr=0.4&fit=fill", PixelSize(width: 160, height: 1)),
  ])
  func `a side that dpr scales below one pixel is one pixel, and only 0 is unconstrained`(
    rest: String, size: PixelSize
  ) throws {
    #expect(try read(rest).recipe?.size == size)
  }

  @Test func `a preset supplies unspecified parameters, and may supply all of them`() throws {
    var rules = ThumbnailRules()
    rules.presets = ["card": "w=300&h=200&fit=cover&q=60"]
    #expect(
      try read("preset=card", rules: rules).recipe?.size == PixelSize(width: 300, height: 200))
    #expect(try read("preset=card&q=90", rules: rules).recipe?.quality == 90)

    rules.presetsOnly = true
    #expect(try read("preset=card&placeholder=1", rules: rules).recipe?.quality == 60)
    // Every parameter that changes the image changes its key.
    let free = [
      "w=301", "h=9", "q=1", "dpr=2", "fit=fill", "focus=0,0", "format=png", "frame=1", "enlarge=1",
      "background=000001",
    ]
    for rest in free.map({ "preset=card&" + $0 }) + ["w=300&h=200"] {
      #expect(throws: Problem.self, "\(rest)") { try read(rest, rules: rules) }
    }
  }

  @Test func `none of forty requests makes a thumbnail above the limit`() throws {
    var rules = ThumbnailRules()
    rules.maximumSide = 200
    rules.presets = ["card": "w=100&h=100", "large": "w=200&h=200"]
    let sides = [
      "201", "0201", "999", "65536", "4294967297", "1000000", "999999999", "201.0", "2e3",
    ]
    var tries: [String] = []
    for side in sides { tries += ["w=\(side)", "h=\(side)", "w=1&h=\(side)", "w=\(side)&h=0"] }
    tries += [
      "w=101&dpr=2", "h=101&dpr=2", "w=67&dpr=3", "w=51&h=1&dpr=4", "w=200&dpr=1.01",
      "preset=large&dpr=2", "preset=card&w=300", "preset=card&dpr=2.1", "preset=large&h=201",
      "w=200&w=2000", "w=200&%77=2000", "w=-1&h=201", "w=201&fit=inside", "w=201&enlarge=1",
      "w=201&fit=contain&background=000000", "w=201&format=gif",
    ]

    #expect(tries.count >= 40)
    for rest in tries { #expect(throws: Problem.self, "\(rest)") { try read(rest, rules: rules) } }
    #expect(
      try read("preset=card&dpr=2", rules: rules).recipe?.size == PixelSize(width: 200, height: 200)
    )
  }

  @Test(arguments: [
    // A free side stays free where the placeholder has the shape of the image.
    ((300, 0), true, (300, 0)), ((300, 0), false, (300, 300)), ((0, 40), false, (40, 40)),
    ((0, 40), true, (0, 40)), ((300, 200), true, (300, 200)), ((300, 200), false, (300, 200)),
    ((4000, 0), true, (1024, 0)), ((4000, 0), false, (1024, 1024)), ((0, 0), true, (256, 256)),
    ((0, 0), false, (256, 256)),
  ])
  func `a placeholder has the size of the request, and at most 1024 a side`(
    wanted: (Int, Int), hasShape: Bool, size: (Int, Int)
  ) {
    let made = Placeholders.size(PixelSize(width: wanted.0, height: wanted.1), hasShape: hasShape)

    #expect(made == PixelSize(width: size.0, height: size.1))
  }

  @Test(arguments: [
    ([], ContentNegotiation.any), (["*/*"], .any), (["image/*"], .any),
    (["image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"], .avifAndWebP),
    (["image/avif, image/webp;q=0"], .avif),
    (["image/jpeg"], .jpeg), (["image/png"], .png), (["image/gif"], .gif),
    (["image/png, image/jpeg;q=0"], .png), (["image/png;q=0, */*"], .jpeg),
    (["IMAGE/JPEG ; Q=0.5"], .jpeg), (["image/webp"], .webp),
    (["image/webp;q=0, image/jpeg"], .jpeg), (["text/html"], .any),
    (["image/jpeg", "image/png"], .any), ([""], .any), ([";;,,q=0"], .any),
    (["image/*;q=0.0, image/gif"], .gif),
  ])
  func `Accept is normalized to seven cases`(lines: [String], expected: ContentNegotiation) {
    #expect(ContentNegotiation(accept: lines) == expected)
  }
}
