import ImageCodecs
import ImageModel
import ImagePipeline
import Testing

@testable import TestSupport

/// A format unknown to the library: `TOY!`, one byte for each side, then for each pixel one
/// byte of gray.
private struct ToyCodec: ImageCodec {
  static let format = ImageFormat(rawValue: "x-toy")
  var format: ImageFormat { Self.format }

  static func file(_ width: UInt8, _ height: UInt8, gray: (Int, Int) -> UInt8) -> [UInt8] {
    var bytes = Array("TOY!".utf8) + [width, height]
    for y in 0..<Int(height) { for x in 0..<Int(width) { bytes.append(gray(x, y)) } }
    return bytes
  }

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("TOY!").recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let file = bytes.withUnsafeBytes { [UInt8]($0) }
    guard file.count >= 6 else { throw ImageError(.truncated, "TOY: no header") }
    let size = PixelSize(width: Int(file[4]), height: Int(file[5]))
    if check == .structure, file.count < 6 + size.pixelCount {
      throw ImageError(.truncated, "TOY: the data ends too early")
    }
    return ImageInfo(format: format, size: size, colorModel: .gray)
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    ToyRows(bytes)
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: false, isAnimated: false, hasProfile: false, isLossless: true)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    let image = frames[0].pixels
    guard max(image.width, image.height) < 256 else {
      throw ImageError(.invalidArgument, "TOY: too large")
    }
    return Self.file(UInt8(image.width), UInt8(image.height)) { x, y in
      image.bytes[4 * (y * image.width + x)]
    }
  }
}

private final class ToyRows: RowReading {
  let size: PixelSize
  private let bytes: UnsafeRawBufferPointer
  private var next = 0

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    size = PixelSize(width: Int(bytes[4]), height: Int(bytes[5]))
  }

  func read(
    _ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int
  ) throws(ImageError) {
    while done < count, next < size.height {
      for x in 0..<size.width {
        let at = 6 + next * size.width + x
        guard at < bytes.count else { throw ImageError(.truncated, "TOY: the data ends too early") }
        let pixel = 4 * (done * size.width + x)
        for channel in 0..<3 { room[pixel + channel] = bytes[at] }
        room[pixel + 3] = 255
      }
      next += 1
      done += 1
    }
  }
}

/// A format whose reader returns wrong row counts: none, too many, or too few.
private struct BrokenReaderCodec: ImageCodec {
  let format = ImageFormat(rawValue: "x-broken-reader")

  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("BROKEN").recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    ImageInfo(format: format, size: PixelSize(width: 9, height: 50), colorModel: .rgb)
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    Rows(kind: bytes.last ?? 0)
  }

  private final class Rows: RowReading {
    let size = PixelSize(width: 9, height: 50)
    let isWhole: Bool
    private let done: Int

    init(kind: UInt8) {
      isWhole = kind == UInt8(ascii: "w")
      done = kind == UInt8(ascii: "n") ? 0 : kind == UInt8(ascii: "w") ? 49 : 1_000_000
    }

    func read(
      _ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int
    ) throws(ImageError) { done = self.done }
  }
}

/// One codec for the process: registering it twice changes nothing.
@Suite struct `A custom codec` {
  private static let toy = ToyCodec.file(40, 30) { x, y in UInt8(x * 5 + y) }

  init() { ImageCodecs.register(ToyCodec()) }

  @Test func `it describes, checks and decodes`() throws {
    let bytes = Self.toy

    let info = try ImageCodecs.info(of: bytes.span.bytes)
    let checked = try ImageCodecs.check(bytes.span.bytes, level: .decode)
    let pixels = try ImageCodecs.decode(bytes.span.bytes)

    #expect(info.format == ToyCodec.format && info.size == PixelSize(width: 40, height: 30))
    #expect(checked.placeholder != nil)
    #expect(Array(pixels.bytes[4 * 41..<4 * 42]) == [6, 6, 6, 255])
    #expect(ImageFormat(sniffing: bytes.span.bytes) == ToyCodec.format)
    let cut = Array(bytes.dropLast())
    #expect(throws: ImageError.self) { try ImageCodecs.check(cut.span.bytes, level: .structure) }
    #expect(throws: ImageError.self) { try ImageCodecs.check(cut.span.bytes, level: .decode) }
    let head = Array("TO".utf8)
    let early = #expect(throws: ImageError.self) { try ImageCodecs.info(of: head.span.bytes) }
    #expect(early?.code == .truncated)
  }

  @Test func `a reader of too few rows is an error, and one of too many harmless`() throws {
    ImageCodecs.register(BrokenReaderCodec())
    func decode(_ kind: String) throws(ImageError) -> PixelSize {
      try ImageCodecs.decode(Array("BROKEN\(kind)".utf8).span.bytes).size
    }

    for kind in ["n", "w"] {
      let error = #expect(throws: ImageError.self) { try decode(kind) }
      #expect(error?.code == .corrupt)
    }
    #expect(try decode("m") == PixelSize(width: 9, height: 50))
  }

  @Test func `serve gives thumbnails of it and in it`() async throws {
    let server = try await ServerFixture(["/a.toy": [.whole(Self.toy)]])
    let image = server.image("/a.toy")
    let thumb = image.replacing("/image", with: "/thumb") + "&w=10&h=0"

    let original = try await server.get(image)
    let jpeg = try await server.get(thumb)
    let toy = try await server.get(thumb + "&format=x-toy")

    #expect(original.status == 200 && original["content-type"] == "image/x-toy")
    #expect(jpeg.status == 200 && jpeg["content-type"] == "image/jpeg")
    #expect(toy.status == 200 && toy["content-type"] == "image/x-toy")
    #expect(Array(toy.body.prefix(4)) == Array("TOY!".utf8))
  }
}
