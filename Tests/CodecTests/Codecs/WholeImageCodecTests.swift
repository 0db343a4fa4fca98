import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// `GRAY8!`, two bytes for each side, then a byte for each pixel. It counts its decodes.
private struct GrayCodec: WholeImageCodec {
  static let decodeCount = Locked(0)
  let format = ImageFormat(rawValue: "x-gray8")

  static func file(_ width: Int, _ height: Int, pixelCount: Int) -> [UInt8] {
    let sides = [width, height].flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    return Array("GRAY8!".utf8) + sides + (0..<pixelCount).map { UInt8($0 & 255) }
  }

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("GRAY8!").recognition(of: head)
  }

  func size(of bytes: RawSpan) throws(ImageError) -> PixelSize {
    let file = bytes.withUnsafeBytes { [UInt8]($0.prefix(10)) }
    guard file.count == 10 else { throw ImageError(.truncated, "GRAY8: no header") }
    return PixelSize(
      width: Int(file[6]) << 8 | Int(file[7]), height: Int(file[8]) << 8 | Int(file[9]))
  }

  func decode(_ bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    Self.decodeCount.withLock { $0 += 1 }
    var size = try size(of: bytes)
    let samples = bytes.withUnsafeBytes { [UInt8]($0.dropFirst(10)) }
    guard samples.count >= size.pixelCount else { throw ImageError(.truncated, "GRAY8: pixels") }
    // Wrong on purpose.
    if size.width == 13 { size.width = 12 }
    return PixelBuffer(
      size: size, bytes: samples.prefix(size.pixelCount).flatMap { [$0, $0, $0, 255] })
  }
}

@Suite(.serialized) struct `A codec of whole images` {
  init() { ImageCodecs.register(GrayCodec()) }

  private func failure(_ file: [UInt8], _ limits: ImageLimits = ImageLimits()) -> ImageError.Code? {
    imageError { try ImageCodecs.decode(file.span.bytes, limits: limits) }?.code
  }

  @Test func `it describes, checks, decodes and makes thumbnails`() throws {
    let file = GrayCodec.file(40, 30, pixelCount: 1200)

    let checked = try ImageCodecs.check(file.span.bytes, level: .decode)
    let pixels = try ImageCodecs.decode(file.span.bytes)
    let small = try ImageCodecs.thumbnail(
      of: file.span.bytes, recipe: ThumbnailRecipe(size: PixelSize(width: 10, height: 0)))

    #expect(checked.info.size == PixelSize(width: 40, height: 30) && checked.placeholder != nil)
    #expect(pixels.pixel(x: 2, y: 1) == PixelColor(red: 42, green: 42, blue: 42))
    #expect(small.format == .jpeg && small.size == PixelSize(width: 10, height: 8))
  }

  @Test func `missing pixels are found by both checks`() {
    let file = GrayCodec.file(40, 30, pixelCount: 1199)

    for level in [ImageCheck.structure, .decode] {
      let error = imageError { try ImageCodecs.check(file.span.bytes, level: level) }
      #expect(error?.code == .truncated)
    }
    #expect(throws: Never.self) { try ImageCodecs.check(file.span.bytes, level: .none) }
    #expect(failure(Array(file.prefix(9))) == .truncated)
  }

  @Test func `limits are compared before it is decoded`() throws {
    let before = GrayCodec.decodeCount.withLock { $0 }
    let large = GrayCodec.file(60_000, 60_000, pixelCount: 0)
    let small = GrayCodec.file(100, 100, pixelCount: 10_000)

    #expect(failure(large) == .limitExceeded)
    #expect(failure(small, with(ImageLimits()) { $0.maximumSide = 99 }) == .limitExceeded)
    // The pixels and a copy of them.
    #expect(
      failure(small, with(ImageLimits()) { $0.maximumMemoryByteCount = 79_999 }) == .limitExceeded)
    let structure = imageError { try ImageCodecs.check(large.span.bytes, level: .structure) }
    #expect(structure?.code == .limitExceeded)
    #expect(GrayCodec.decodeCount.withLock { $0 } == before)
    let enough = with(ImageLimits()) { $0.maximumMemoryByteCount = 80_000 }
    #expect(try ImageCodecs.decode(small.span.bytes, limits: enough).width == 100)
  }

  @Test func `a size without pixels, or another one than the header says, is corrupt`() {
    #expect(failure(GrayCodec.file(0, 5, pixelCount: 0)) == .corrupt)
    #expect(failure(GrayCodec.file(13, 5, pixelCount: 65)) == .corrupt)
  }
}
