import Testing

@testable import ImageCodecs
@testable import ImageModel

/// Identities are parts of cache keys: what is stored under one is lost when its spelling changes.
@Suite struct `The identity of a processing step` {
  static let steps: [(step: any ImageProcessing, identity: String)] = [
    (
      Resize(PixelSize(width: 200, height: 100)),
      "resize(200x100,cover,lanczos3,false,0.5,0.5,00000000)"
    ),
    (
      Resize(
        PixelSize(width: 0, height: 50), fit: .contain, filter: .area, enlarges: true,
        focus: FocalPoint(x: 0.25, y: 1), background: .white),
      "resize(0x50,contain,area,true,0.25,1.0,ffffffff)"
    ),
    (Crop(PixelSize(width: 100, height: 50)), "crop(100x50,0.5,0.5)"),
    (
      Crop(PixelSize(width: 100, height: 50), focus: FocalPoint(x: 0, y: 0.75)),
      "crop(100x50,0.0,0.75)"
    ),
    (Orient(6), "orient(6)"), (Orient(0), "orient(1)"), (Orient(9), "orient(1)"),
    (RoundCorners(.pixels(12)), "round(12.0)"), (RoundCorners(.circle), "round(circle)"),
    (Sharpen(radius: 1.5), "sharpen(1.5)"), (Grayscale(), "gray"),
    (Blur(radius: 4), "blur(4.0)"), (Blur(radius: 0.5), "blur(0.5)"),
    (Tint(PixelColor(red: 255, green: 0, blue: 0, alpha: 128)), "tint(ff000080)"),
    (ProcessingChain(), "chain()"),
    (ProcessingChain([Orient(2)]), "chain(9:orient(2))"),
    (ProcessingChain([Orient(2), Blur(radius: 4)]), "chain(9:orient(2)9:blur(4.0))"),
    (ProcessingChain([ProcessingChain([Orient(2)])]), "chain(18:chain(9:orient(2)))"),
  ]

  @Test(arguments: steps.indices)
  func `never changes`(index: Int) {
    #expect(Self.steps[index].step.identity == Self.steps[index].identity)
  }

  @Test func `of a step spelled as a static member is that of its type`() {
    let short: [any ImageProcessing] = [
      .resize(width: 200), .resize(height: 9, fit: .inside, enlarges: true),
      .resize(width: 20, height: 10, fit: .fill), .crop(width: 10, height: 5),
      .crop(width: 10, height: 5, focus: FocalPoint(x: 0, y: 1)), .roundCorners(12), .circle,
      .blur(radius: 4), .tint(.white), .orient(6), .sharpen(radius: 1), .grayscale,
    ]
    let long: [any ImageProcessing] = [
      Resize(PixelSize(width: 200, height: 0)),
      Resize(PixelSize(width: 0, height: 9), fit: .inside, enlarges: true),
      Resize(PixelSize(width: 20, height: 10), fit: .fill), Crop(PixelSize(width: 10, height: 5)),
      Crop(PixelSize(width: 10, height: 5), focus: FocalPoint(x: 0, y: 1)),
      RoundCorners(.pixels(12)), RoundCorners(.circle), Blur(radius: 4), Tint(.white), Orient(6),
      Sharpen(radius: 1), Grayscale(),
    ]

    #expect(short.map(\.identity) == long.map(\.identity))
  }

  static func recipe(_ change: (inout ThumbnailRecipe) -> Void) -> ThumbnailRecipe {
    var recipe = ThumbnailRecipe(size: PixelSize(width: 320, height: 240))
    change(&recipe)
    return recipe
  }

  static let recipes: [(recipe: ThumbnailRecipe, identity: String)] = [
    (
      recipe { _ in },
      "thumb5:320x240:cover:auto:q80:frame0:shrink:at0.5,0.5:on-:lanczos3:convert:copyright"
    ),
    (
      recipe { $0.formatsBySource = [.png: .png, .gif: .gif] },
      "thumb5:320x240:cover:auto+gif>gif+png>png:q80:frames:shrink:at0.5,0.5:on-:lanczos3:convert:copyright"
    ),
    (
      recipe { ($0.format, $0.formatsBySource) = (.avif, [.webp: .webp, .gif: .webp]) },
      "thumb5:320x240:cover:avif+gif>webp+webp>webp:q80:frames:shrink:at0.5,0.5:on-:lanczos3:convert:copyright"
    ),
    (
      recipe { ($0.format, $0.isLossless) = (.webp, true) },
      "thumb5:320x240:cover:webp:q80+lossless:frames:shrink:at0.5,0.5:on-:lanczos3:convert:copyright"
    ),
    (
      recipe { ($0.frame, $0.enlarges, $0.quality) = (0, true, 5) },
      "thumb5:320x240:cover:auto:q5:frame0:enlarge:at0.5,0.5:on-:lanczos3:convert:copyright"
    ),
    (
      recipe { $0.focusesOnAttention = true },
      "thumb5:320x240:cover:auto:q80:frame0:shrink:attention1+at0.5,0.5:on-:lanczos3:convert:copyright"
    ),
    (
      recipe { ($0.fit, $0.background) = (.contain, .white) },
      "thumb5:320x240:contain:auto:q80:frame0:shrink:at-:onffffffff:lanczos3:convert:copyright"
    ),
    (
      recipe { ($0.filter, $0.profile, $0.focus) = (.area, .drop, FocalPoint(x: 0, y: 1)) },
      "thumb5:320x240:cover:auto:q80:frame0:shrink:at0.0,1.0:on-:area:drop:copyright"
    ),
    (
      recipe {
        ($0.crop, $0.orient) = (CropRectangle(text: "1,0.25,10,0.5"), Orient(6))
        ($0.sharpening, $0.blurring, $0.isGray, $0.cornerRadius) = (1, 2.5, true, 8)
      },
      "thumb5:320x240:cover:auto:q80:frame0:shrink:at0.5,0.5:on-:lanczos3:convert:copyright"
        + ":crop1,0.25,10,0.5:orient(6):sharpen(1.0):blur(2.5):gray:round(8.0)"
    ),
  ]

  @Test(arguments: recipes.indices)
  func `of a thumbnail never changes`(index: Int) {
    #expect(Self.recipes[index].recipe.identity == Self.recipes[index].identity)
  }

  @Test func `of a thumbnail is the same where attention or a limit changes nothing`() {
    let inside = Self.recipe { $0.fit = .inside }
    let free = Self.recipe { $0.size.height = 0 }

    var attentive = inside
    attentive.focusesOnAttention = true
    #expect(attentive.identity == inside.identity)
    attentive = free
    attentive.focusesOnAttention = true
    #expect(attentive.identity == free.identity)
    var focused = inside
    (focused.focus, focused.enlarges) = (FocalPoint(x: 0, y: 0), true)
    #expect(focused.identity == inside.identity)
    #expect(
      Self.recipe { ($0.size.height, $0.fit) = (0, .contain) }.identity == free.identity)
    let whole = Self.recipe {
      $0.crop = CropRectangle(text: "0.0,0,1.0,1.00")
      $0.orient = Orient(rotatedBy: 180, flipped: .both) ?? Orient(2)
      ($0.format, $0.quality) = (.png, 5)
    }
    #expect(whole.identity == Self.recipe { ($0.format, $0.frame) = (.png, 0) }.identity)
    var limited = inside
    limited.maximumSide = 9
    #expect(limited.identity == inside.identity)
  }

  @Test func `makes chains equal, whatever their steps are`() {
    struct Named: ImageProcessing {
      let identity: String
      func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer { image }
    }

    let named = ProcessingChain([Named(identity: "orient(2)")])
    let real = ProcessingChain([Orient(2)])

    #expect(named == real)
    #expect(named.hashValue == real.hashValue)
    #expect(named != ProcessingChain([Orient(3)]))
  }

  @Test func `of the first steps of a chain is that of a chain of them`() {
    let chain = ProcessingChain([Orient(2), Orient(3), Orient(4)])

    #expect(chain.prefix(0) == ProcessingChain())
    #expect(chain.prefix(2) == ProcessingChain([Orient(2), Orient(3)]))
    #expect(chain.prefix(9) == chain)
  }
}
