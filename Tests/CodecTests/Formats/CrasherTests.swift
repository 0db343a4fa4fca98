import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// Recorded crashers and findings of the fuzzers: each gives an error or an image.
@Suite struct `Crashers` {
  static let folder = SharedFixtures.packageRoot.appending(path: "Tests/Fixtures/crashers").path

  static let names = (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? []

  @Test func `the recorded crashers are present`() {
    #expect(Self.names.contains("png-text-chunk-of-a-gigabyte.png"))
    #expect(Self.names.count >= 3)
  }

  @Test(arguments: names)
  func `a recorded crasher is harmless`(name: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.folder + "/" + name)))
    Self.exercise(bytes)
  }

  @Test func `files with a few bytes changed are harmless`() throws {
    var gif = SampleImages.GIF(30, 20, loops: 3)
    for index in 0..<6 {
      gif.add(
        left: UInt8(index), top: UInt8(index), 20, 12, index: UInt8(index % 4),
        disposal: UInt8(index % 4))
    }
    let progressive = with(EncodingOptions()) { $0.isProgressive = true }
    let picture = SampleImages.translucent(50, 40)
    let files = [
      gif.finished(), try ImageCodecs.encodePNG(picture), try ImageCodecs.encodeJPEG(picture),
      try ImageCodecs.encodeJPEG(picture, options: progressive),
    ]
    var state: UInt64 = 42
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }

    for _ in 0..<(CampaignSize.isFull ? 20_000 : 400) {
      var bytes = files[random(files.count)]
      switch random(3) {
      case 0: bytes.removeSubrange(random(bytes.count)...)
      case 1: for _ in 0...random(8) { bytes[random(bytes.count)] = UInt8(random(256)) }
      default:
        let start = random(bytes.count)
        bytes.removeSubrange(start..<min(bytes.count, start + random(40)))
      }
      Self.exercise(bytes)
    }
  }

  /// Everything that parses external bytes.
  static func exercise(_ bytes: [UInt8]) {
    var limits = ImageLimits()
    limits.maximumPixels = 1 << 20
    limits.maximumAnimationPixels = 1 << 22
    for level in ImageCheck.allCases {
      _ = try? ImageCodecs.check(bytes.span.bytes, level: level, limits: limits)
    }
    for isPartial in [false, true] {
      var options = DecodingOptions()
      options.allowsPartial = isPartial
      options.animatesPNG = true
      options.color = .srgb
      if let reader = try? FrameReader(bytes.span.bytes, limits: limits, options: options) {
        while (try? reader.next(of: bytes.span.bytes)) != nil {}
      }
    }
    var recipe = ThumbnailRecipe(size: PixelSize(width: 20, height: 20))
    _ = try? ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe, limits: limits)
    recipe.format = .gif
    recipe.profile = .keep
    _ = try? ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe, limits: limits)
    let budget = FrameBudget(maximumByteCount: 1 << 16)
    if let player = try? AnimationPlayer(bytes, content: "x", budget: budget, limits: limits) {
      // Failures are the same in any order: a frame has one image or none.
      let last = player.info.frameCount - 1
      let late = try? player.frame(at: last)
      for index in 0..<last { _ = try? player.frame(at: index) }
      #expect((try? player.frame(at: last)) == late)
    }
    do {
      let previews = ProgressivePreviews(interval: .zero, limits: limits)
      for start in stride(from: 0, to: bytes.count, by: 97) {
        let piece = Array(bytes[start..<min(start + 97, bytes.count)])
        _ = previews.append(piece.span.bytes, at: .seconds(start))
      }
    }
  }
}
