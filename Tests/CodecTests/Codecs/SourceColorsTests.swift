import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Colours of a source` {
  /// sRGB green (40, 200, 60) and red (220, 30, 40), and their samples in other colour spaces.
  static let green: [UInt8] = [40, 200, 60]
  static let displayP3Green: [UInt8] = [97, 197, 81]

  static func displayP3() throws -> [UInt8] {
    try #require(ColorBridge.profile(of: ColorNumbers(primaries: 12, transfer: 13)))
  }

  static func near(_ pixel: [UInt8], _ wanted: [UInt8], by most: Int = 2) -> Bool {
    pixel.count >= 3 && zip(pixel, wanted).allSatisfy { abs(Int($0) - Int($1)) <= most }
  }

  static func flat(_ color: [UInt8], _ width: Int = 64, _ height: Int = 48) -> PixelBuffer {
    SampleImages.flat(width, height, color + [255])
  }

  /// Files of an image with a profile, in each format that has profiles.
  static func files(_ color: [UInt8], _ profile: [UInt8]) throws -> [(String, [UInt8])] {
    let image = flat(color)
    var jpeg = EncodingOptions(quality: 98)
    jpeg.iccProfile = profile
    jpeg.isProgressive = false
    let progressive = with(jpeg) { $0.isProgressive = true }
    let png = with(EncodingOptions()) { $0.iccProfile = profile }
    var webp = EncodingOptions(quality: 90)
    webp.isLossless = true
    webp.iccProfile = profile
    let frames = [color, [0, 0, 0], color].map {
      AnimationFrame(pixels: flat($0), delay: .milliseconds(100))
    }
    return [
      ("jpeg", try ImageCodecs.encodeJPEG(image, options: jpeg)),
      ("progressive", try ImageCodecs.encodeJPEG(image, options: progressive)),
      ("png", try ImageCodecs.encodePNG(image, options: png)),
      ("webp", try ImageCodecs.encodeWebP(image, options: webp)),
      ("animated", try ImageCodecs.encodeWebP(frames, options: webp)),
    ]
  }

  static func recipe(_ change: (inout ThumbnailRecipe) -> Void = { _ in }) -> ThumbnailRecipe {
    var recipe = ThumbnailRecipe(size: PixelSize(width: 20, height: 15))
    recipe.format = .png
    change(&recipe)
    return recipe
  }

  static func thumbnail(_ bytes: [UInt8], _ recipe: ThumbnailRecipe) throws -> PixelBuffer {
    let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
    return try ImageCodecs.decode(made.bytes.span.bytes)
  }

  @Test func `become sRGB in thumbnails, pixels, placeholders and players`() throws {
    for (name, bytes) in try Self.files(Self.displayP3Green, Self.displayP3()) {
      let span = bytes.span.bytes
      let recipe = Self.recipe()
      #expect(Self.near(try Self.thumbnail(bytes, recipe)[9, 7], Self.green), "\(name)")
      #expect(
        Self.near(try ImageCodecs.pixels(of: span, recipe: recipe)[9, 7], Self.green), "\(name)")
      let placeholder = try #require(try ImageCodecs.check(span, level: .decode).placeholder)
      let main = placeholder.dominantColor
      #expect(Self.near([main.red, main.green, main.blue], Self.green, by: 4), "\(name)")
      let shown = placeholder.thumbHash.pixels()
      #expect(Self.near(shown[shown.width / 2, 0], Self.green, by: 10), "\(name)")
      let player = try AnimationPlayer(
        bytes, content: name, budget: FrameBudget(maximumByteCount: 1 << 20))
      for index in Set([0, player.info.frameCount - 1]) {
        #expect(Self.near(try player.frame(at: index)[9, 7], Self.green), "\(name)")
      }
      var options = DecodingOptions()
      #expect(Self.near(try ImageCodecs.decode(span, options: options)[9, 7], Self.displayP3Green))
      options.color = .srgb
      #expect(Self.near(try ImageCodecs.decode(span, options: options)[9, 7], Self.green))
    }
  }

  @Test(arguments: zip(FitMode.allCases, [true, false, true, false]))
  func `become sRGB however the image fits`(fit: FitMode, isFocused: Bool) throws {
    for (name, bytes) in try Self.files(Self.displayP3Green, Self.displayP3()) {
      for side in [16, 100] {
        let recipe = Self.recipe {
          $0.size = PixelSize(width: side, height: side)
          $0.fit = fit
          $0.enlarges = true
          $0.focusesOnAttention = isFocused
          $0.background = PixelColor(red: 1, green: 2, blue: 3)
        }
        let made = try Self.thumbnail(bytes, recipe)
        #expect(Self.near(made[made.width / 2, made.height / 2], Self.green), "\(name) \(side)")
        if fit == .contain { #expect(made[0, 0] == [1, 2, 3, 255]) }
      }
    }
  }

  @Test func `of all frames of an animation become sRGB`() throws {
    let bytes = try #require(try Self.files(Self.displayP3Green, Self.displayP3()).last?.1)
    let recipe = Self.recipe {
      $0.format = .webp
      $0.isLossless = true
    }

    let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)

    let frames = try FrameReader(made.bytes.span.bytes).rest(of: made.bytes)
    let pixels = frames.map { $0.pixels[9, 7] }
    #expect(pixels.count == 3)
    #expect(Self.near(pixels[0], Self.green) && Self.near(pixels[2], Self.green), "\(pixels)")
    #expect(Self.near(pixels[1], [0, 0, 0]))
  }

  @Test func `become sRGB in previews`() throws {
    let (_, bytes) = try Self.files(Self.displayP3Green, Self.displayP3())[1]
    let previews = ProgressivePreviews(interval: .zero)
    var shown: [PixelBuffer] = []
    for (index, byte) in bytes.enumerated() {
      let piece = [byte]
      if let preview = previews.append(piece.span.bytes, at: .milliseconds(index)) {
        shown.append(preview)
      }
    }
    #expect(!shown.isEmpty)
    let last = try #require(shown.last)
    #expect(Self.near(last[9, 7], Self.green, by: 4), "\(last[9, 7])")
  }

  @Test func `stay with their profile, or as plain numbers, on request`() throws {
    for (name, bytes) in try Self.files(Self.displayP3Green, Self.displayP3()).dropLast() {
      let kept = try ImageCodecs.thumbnail(
        of: bytes.span.bytes, recipe: Self.recipe { $0.profile = .keep })
      let dropped = try ImageCodecs.thumbnail(
        of: bytes.span.bytes, recipe: Self.recipe { $0.profile = .drop })

      #expect(try ImageCodecs.info(of: kept.bytes.span.bytes).iccProfileByteCount != nil, "\(name)")
      #expect(try ImageCodecs.info(of: dropped.bytes.span.bytes).iccProfileByteCount == nil)
      for made in [kept, dropped] {
        #expect(Self.near(try ImageCodecs.decode(made.bytes.span.bytes)[9, 7], Self.displayP3Green))
      }
    }
  }

  @Test func `are converted where the format of the result has no profiles`() throws {
    let (_, bytes) = try Self.files(Self.displayP3Green, Self.displayP3())[2]
    let made = try Self.thumbnail(
      bytes,
      Self.recipe {
        $0.format = .gif
        $0.profile = .keep
      })
    #expect(Self.near(made[9, 7], Self.green))
  }

  @Test func `of sRGB are left alone, whoever made the profile`() throws {
    for numbers in [
      ColorNumbers(primaries: 1, transfer: 13), ColorNumbers(gamma: 0.45455),
    ] {
      let profile = try #require(ColorBridge.profile(of: numbers))
      #expect(try ColorTransform.of(profile, .ycbcr) == nil)
    }
  }

  @Test func `of one profile share a transform`() throws {
    let profile = try Self.displayP3()
    let recent = ColorTransform.Recent()
    let transform = try #require(try ColorTransform.of(profile, .rgb, among: recent))
    #expect(try ColorTransform.of(profile, .ycbcr, among: recent) === transform)
    #expect(try Self.displayP3() == profile)
  }

  @Test func `are converted at once on several threads`() async throws {
    let (_, bytes) = try Self.files(Self.displayP3Green, Self.displayP3())[0]
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for _ in 0..<4 {
        group.addTask {
          try (0..<10).allSatisfy { _ in
            Self.near(try Self.thumbnail(bytes, Self.recipe())[9, 7], Self.green)
          }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test(arguments: CMYK.cases.indices, ProfileTreatment.allCases)
  func `of inks become sRGB, or plain numbers on request`(
    index: Int, treatment: ProfileTreatment
  ) throws {
    let (inks, plain, converted) = CMYK.cases[index]
    let bytes = CMYK.jpeg(inks, profile: CMYK.profile())
    let wanted = treatment == .drop ? plain : converted
    for fit in [FitMode.cover, .contain] {
      let recipe = Self.recipe {
        $0.size = PixelSize(width: 4, height: 4)
        $0.fit = fit
        $0.profile = treatment
      }
      let made = try Self.thumbnail(bytes, recipe)
      #expect(CMYK.isNear(made[2, 2], wanted), "\(made[2, 2])")
    }
    let placeholder = try #require(
      try ImageCodecs.check(bytes.span.bytes, level: .decode).placeholder)
    let main = placeholder.dominantColor
    #expect(Self.near([main.red, main.green, main.blue], converted, by: 8))
  }

  @Test func `of inks in two treatments at once come from one pass`() throws {
    let bytes = CMYK.jpeg([255, 0, 0, 0], profile: CMYK.profile())
    let info = try ImageCodecs.info(of: bytes.span.bytes)
    let treatments: [ProfileTreatment] = [.convert, .drop]
    let outputs = treatments.map { treatment in
      DecodeOutput(
        encoding: Self.recipe {
          $0.size = PixelSize(width: 4, height: 4)
          $0.profile = treatment
        })
    }
    let pass = DecodePass(info: info, limits: ImageLimits(), groups: [Set(outputs)], isCheck: true)

    let made = try pass.run(bytes.span.bytes)

    #expect(CMYK.isNear(try made.outputs.frames(outputs[0])[0].pixels[1, 1], [251, 0, 8]))
    #expect(CMYK.isNear(try made.outputs.frames(outputs[1])[0].pixels[1, 1], [0, 255, 255]))
    #expect(made.placeholder != nil)
  }

  @Test func `of gray become sRGB and stay gray`() throws {
    var options = EncodingOptions()
    options.iccProfile = Self.linearGray()
    options.mayUsePalette = false
    let bytes = try ImageCodecs.encodePNG(Self.flat([100, 100, 100]), options: options)
    #expect(try ImageCodecs.info(of: bytes.span.bytes).colorModel == .gray)

    for treatment in [ProfileTreatment.convert, .keep] {
      let pixel = try Self.thumbnail(bytes, Self.recipe { $0.profile = treatment })[9, 7]
      #expect(Self.near(pixel, [168, 168, 168]), "\(pixel)")
      #expect(pixel[0] == pixel[1] && pixel[1] == pixel[2])
    }
  }

  /// A profile of gray whose samples are proportional to light.
  static func linearGray() -> [UInt8] {
    SampleProfile.bytes("mntrGRAYXYZ ", [("kTRC", Array("curv".utf8) + SampleProfile.big(0, 0))])
  }

  static func png(_ pixel: [UInt8], _ chunks: [(String, [UInt8])]) throws -> [UInt8] {
    let options = with(EncodingOptions()) { $0.mayUsePalette = false }
    let plain = try ImageCodecs.encodePNG(flat(pixel), options: options)
    let header = 8 + 25
    return plain[..<header] + chunks.flatMap { SamplePNG.chunk($0.0, $0.1) } + plain[header...]
  }

  static let displayP3Chunk = SampleProfile.big(
    31_270, 32_900, 68_000, 32_000, 26_500, 69_000, 15_000, 6_000)

  static let chunkCases: [(chunks: [(String, [UInt8])], samples: [UInt8], wanted: [UInt8])] = [
    ([("cICP", [12, 13, 0, 1])], displayP3Green, green),
    ([("gAMA", SampleProfile.big(45_455)), ("cHRM", displayP3Chunk)], displayP3Green, green),
    ([("cHRM", displayP3Chunk)], displayP3Green, green),
    ([("gAMA", SampleProfile.big(100_000))], [100, 50, 200], [168, 122, 229]),
    ([("gAMA", SampleProfile.big(45_455))], [100, 50, 200], [100, 50, 200]),
    // Linear light with the primaries of BT.2020.
    ([("cICP", [9, 8, 0, 1])], [128, 128, 128], [188, 188, 188]),
    // White of high dynamic range: 58 % of PQ, 75 % of HLG.
    ([("cICP", [9, 16, 0, 1])], [148, 148, 148], [255, 255, 255]),
    ([("cICP", [9, 18, 0, 1])], [191, 191, 191], [255, 255, 255]),
    ([("cICP", [9, 16, 0, 1])], [0, 0, 0], [0, 0, 0]),
    // sRGB is stronger than gAMA, and cICP than all.
    ([("sRGB", [0]), ("gAMA", SampleProfile.big(100_000))], [100, 50, 200], [100, 50, 200]),
    (
      [("cICP", [1, 13, 0, 1]), ("gAMA", SampleProfile.big(100_000))], [100, 50, 200],
      [100, 50, 200]
    ),
    // Nonsense: plain numbers.
    ([("cICP", [200, 13, 0, 1])], [100, 50, 200], [100, 50, 200]),
    ([("cICP", [12, 200, 0, 1])], [100, 50, 200], [100, 50, 200]),
    ([("gAMA", SampleProfile.big(0))], [100, 50, 200], [100, 50, 200]),
    ([("gAMA", SampleProfile.big(1))], [100, 50, 200], [100, 50, 200]),
    ([("gAMA", SampleProfile.big(0x7FFF_FFFF))], [100, 50, 200], [100, 50, 200]),
    ([("gAMA", [1, 2])], [100, 50, 200], [100, 50, 200]),
    (
      [("cHRM", SampleProfile.big(30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000, 30_000))],
      [100, 50, 200], [100, 50, 200]
    ),
    ([("cHRM", [UInt8](repeating: 255, count: 32))], [100, 50, 200], [100, 50, 200]),
  ]

  @Test(arguments: chunkCases.indices)
  func `are read from the chunks of a PNG as browsers do`(index: Int) throws {
    let (chunks, samples, wanted) = Self.chunkCases[index]
    let bytes = try Self.png(samples, chunks)

    let made = try Self.thumbnail(bytes, Self.recipe())
    let options = with(DecodingOptions()) { $0.color = .srgb }
    let decoded = try ImageCodecs.decode(bytes.span.bytes, options: options)

    #expect(Self.near(made[9, 7], wanted), "\(made[9, 7])")
    #expect(Self.near(decoded[9, 7], wanted), "\(decoded[9, 7])")
  }

  @Test func `of a chunk with a wrong checksum do not count`() throws {
    var bytes = try Self.png([100, 50, 200], [("gAMA", SampleProfile.big(100_000))])
    bytes[8 + 25 + 8] ^= 1
    let made = try? Self.thumbnail(bytes, Self.recipe())
    #expect(made.map { $0[9, 7] } == [100, 50, 200, 255])
  }

  /// A profile of RGB with a floating-point pipeline of so many steps, each the same matrix.
  static func pipelineProfile(stepCount: Int) throws -> [UInt8] {
    let base = try displayP3()
    let count = Int(base[131])
    let head = 128 + 4 + 12 * count
    let room = head + 12
    // Tags move by the entry that is added.
    var profile = Array(base[..<128]) + SampleProfile.big(count + 1)
    for tag in 0..<count {
      let at = 132 + 12 * tag
      let offset = base[at + 4..<at + 8].reduce(0) { $0 << 8 | Int($1) } + 12
      profile += base[at..<at + 4] + SampleProfile.big(offset) + base[at + 8..<at + 12]
    }
    let start = base.count + 12
    let positions = 16 + 8 * stepCount
    var pipeline =
      Array("mpet".utf8) + SampleProfile.big(0) + [0, 3, 0, 3] + SampleProfile.big(stepCount)
    let matrix =
      Array("matf".utf8) + SampleProfile.big(0) + [0, 3, 0, 3]
      + (0..<12).flatMap { $0 % 4 == 0 && $0 < 9 ? [0x3F, 0x80, 0, 0] : [0, 0, 0, 0] as [UInt8] }
    for _ in 0..<stepCount {
      pipeline += SampleProfile.big(positions) + SampleProfile.big(matrix.count)
    }
    pipeline += matrix
    profile += Array("D2B0".utf8) + SampleProfile.big(start) + SampleProfile.big(pipeline.count)
    #expect(profile.count == room)
    profile += base[head...] + pipeline
    profile.replaceSubrange(0..<4, with: SampleProfile.big(profile.count))
    return profile
  }

  @Test func `with a pipeline without end take their matrix`() throws {
    let profile = try Self.pipelineProfile(stepCount: 60_000)
    for (name, bytes) in try Self.files(Self.displayP3Green, profile).prefix(1) {
      #expect(Self.near(try Self.thumbnail(bytes, Self.recipe())[9, 7], Self.green), "\(name)")
    }
  }

  static func unusable() throws -> [(String, [UInt8])] {
    let good = try displayP3()
    var other = good
    other.replaceSubrange(16..<20, with: "CMYK".utf8)
    var link = good
    link.replaceSubrange(12..<16, with: "link".utf8)
    var tags = good
    tags.replaceSubrange(128..<132, with: [0xFF, 0xFF, 0xFF, 0xFF])
    return [
      ("cut", Array(good.prefix(200))), ("another model", other), ("a device link", link),
      ("tags without end", tags), ("zeros", [UInt8](repeating: 0, count: 3_000)),
      ("megabytes", good + [UInt8](repeating: 0, count: 5 << 20)),
    ]
  }

  @Test func `that cannot be used leave the numbers, with a warning`() throws {
    for (name, profile) in try Self.unusable() {
      let jpeg = with(EncodingOptions(quality: 98)) { $0.iccProfile = profile }
      let bytes = try ImageCodecs.encodeJPEG(Self.flat([100, 50, 200]), options: jpeg)

      for treatment in ProfileTreatment.allCases {
        let made = try ImageCodecs.thumbnail(
          of: bytes.span.bytes, recipe: Self.recipe { $0.profile = treatment })
        let pixel = try ImageCodecs.decode(made.bytes.span.bytes)[9, 7]
        #expect(Self.near(pixel, [100, 50, 200], by: 3), "\(name): \(pixel)")
        let warnings = treatment == .drop ? [] : ["the embedded profile cannot be used"]
        #expect(made.warnings == warnings, "\(name)")
      }
      #expect(try ImageCodecs.check(bytes.span.bytes, level: .decode).placeholder != nil)
    }
  }
}
