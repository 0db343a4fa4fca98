import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// The files in Tests/Fixtures/avif are one drawing of 48 x 32 pixels, written by `avifenc -s 4 --min 2
/// --max 6 -y 444`, with `--irot 1`, with `--imir 1 -d 10`, and with an alpha of 40 on the left.
@Suite(.enabled(if: ImageCodecs.decodableFormats.contains(.avif), "libavif is not there"))
struct `AVIF` {
  static func file(_ name: String) throws -> [UInt8] {
    let file = SharedFixtures.packageRoot.appending(path: "Tests/Fixtures/avif/\(name).avif")
    return [UInt8](try Data(contentsOf: file))
  }

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

  @Test func `an AVIF gives thumbnails`() throws {
    let bytes = try Self.file("turned")
    var recipe = ThumbnailRecipe(size: PixelSize(width: 16, height: 0))

    let jpeg = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
    recipe.format = .avif
    let avif = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)

    #expect(jpeg.format == .jpeg && avif.format == .avif)
    for made in [jpeg, avif] { #expect(made.size == PixelSize(width: 16, height: 24)) }
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

  // MARK: Writing

  static func written(
    _ pixels: PixelBuffer, _ change: (inout EncodingOptions) -> Void = { _ in }
  ) throws -> [UInt8] {
    let options = with(EncodingOptions(quality: 90), change)
    let frame = AnimationFrame(pixels: pixels, delay: .zero)
    return try ImageCodecs.encode([frame], as: .avif, options: options).bytes
  }

  @Test(arguments: [EncodingOptions.Chroma.quarter, .full])
  func `what is written is read again`(chroma: EncodingOptions.Chroma) throws {
    let image = Self.expected()

    let bytes = try Self.written(image) { $0.chroma = chroma }

    let info = try ImageCodecs.info(of: bytes.span.bytes)
    let pixels = try ImageCodecs.decode(bytes.span.bytes)
    #expect(info.format == .avif && info.size == image.size && !info.hasAlpha)
    #expect(Self.largestDifference(pixels, image) <= 24)
  }

  @Test func `lossless keeps every pixel`() throws {
    let image = SampleImages.noise(61, 37, seed: 1)

    let bytes = try Self.written(image) { $0.isLossless = true }

    #expect(try ImageCodecs.decode(bytes.span.bytes) == image)
  }

  @Test func `alpha is kept exactly`() throws {
    let image = Self.expected(alpha: true)

    let bytes = try Self.written(image)

    let pixels = try ImageCodecs.decode(bytes.span.bytes)
    let alphas = stride(from: 3, to: image.bytes.count, by: 4)
    #expect(try ImageCodecs.info(of: bytes.span.bytes).hasAlpha)
    #expect(alphas.allSatisfy { pixels.bytes[$0] == image.bytes[$0] })
  }

  @Test func `a better quality takes more bytes`() throws {
    let image = SampleImages.noise(96, 64, seed: 2)
    let sizes = try [1, 30, 60, 80, 95, 100].map { quality in
      try Self.written(image) { $0.quality = quality }.count
    }
    #expect(sizes == sizes.sorted() && Set(sizes).count == sizes.count, "\(sizes)")
  }

  @Test func `a profile is kept on request, and the author always`() throws {
    let profile = try `Colours of a source`.displayP3()
    let jpeg = with(EncodingOptions()) { $0.iccProfile = profile }
    let source = SampleImages.jpeg(
      try ImageCodecs.encodeJPEG(Self.expected(), options: jpeg),
      inserting: [`The EXIF orientation`.exif(HEIC.exif)])
    var recipe = ThumbnailRecipe(size: PixelSize(width: 24, height: 0), format: .avif)
    func thumbnail(of bytes: [UInt8]) throws -> [UInt8] {
      try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe).bytes
    }

    let converted = try thumbnail(of: source)
    recipe.profile = .keep
    let kept = try thumbnail(of: source)
    recipe.format = .jpeg
    let again = try thumbnail(of: kept)

    let author = Array("Ann Author".utf8)
    for bytes in [converted, kept, again] { #expect(bytes.contains(author)) }
    #expect(try ImageCodecs.info(of: converted.span.bytes).iccProfileByteCount == nil)
    #expect(try AVIFCodec().profile(of: kept.span.bytes, limits: ImageLimits()) == profile)
    #expect(try JPEGCodec().profile(of: again.span.bytes, limits: ImageLimits()) == profile)
  }

  @Test func `an image without metadata is not written larger than it was`() throws {
    let bytes = try Self.file("plain")
    let recipe = with(ThumbnailRecipe(size: PixelSize(width: 48, height: 32), format: .avif)) {
      $0.quality = 100
    }

    #expect(try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe).bytes == bytes)
  }

  private static let readers = [
    "pillow": (
      "PIL.AvifImagePlugin",
      """
      import sys, PIL.Image
      PIL.Image.open(sys.argv[1]).save(sys.argv[2])
      """
    ),
    "libvips": (
      "pyvips",
      """
      import sys, pyvips
      pyvips.Image.new_from_file(sys.argv[1]).write_to_file(sys.argv[2])
      """
    ),
  ]

  @Test(
    .enabled("Pillow or pyvips of PyPI is not there") {
      for (name, reader) in AVIF.readers where await PythonTool(name, importing: reader.0) == nil {
        return false
      }
      return true
    }, arguments: [false, true])
  func `other programs read the same pixels`(alpha: Bool) async throws {
    let bytes = try Self.written(Self.expected(alpha: alpha)) { $0.chroma = .full }
    let scratch = TemporaryDirectory()
    let file = scratch.path("written.avif")
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    for (name, (module, script)) in Self.readers {
      let python = try #require(await PythonTool(name, importing: module))
      let png = scratch.path("\(name).png")

      #expect(try await python.run(script, [file, png]) == 0)

      let saved = [UInt8](try Data(contentsOf: URL(fileURLWithPath: png)))
      let read = try ImageCodecs.decode(saved.span.bytes)
      let own = try ImageCodecs.decode(bytes.span.bytes)
      #expect(Self.largestDifference(read, own) <= 2, "\(name)")
    }
  }

  @Test(.needsBrowser) func `a browser shows the same pixels`() async throws {
    let bytes = try Self.written(Self.expected()) { $0.chroma = .full }
    let page = try await BrowserPage()

    let shown = try await page.text(
      """
      (async () => {
        const image = new Image();
        image.src = 'data:image/avif;base64,\(Data(bytes).base64EncodedString())';
        await image.decode();
        const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, canvas.width, canvas.height).data.join();
      })()
      """)

    let pixels = PixelBuffer(
      size: Self.expected().size, bytes: shown.split(separator: ",").compactMap { UInt8($0) })
    let own = try ImageCodecs.decode(bytes.span.bytes)
    #expect(pixels.bytes.count == own.bytes.count && Self.largestDifference(pixels, own) <= 3)
    try await page.close()
  }
}
