import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

@Suite struct `JPEG with faults` {
  /// Decodes with the default options, and checks as the cache does.
  static func read(_ bytes: [UInt8]) throws -> (pixels: PixelBuffer, warnings: [String]) {
    for level in ImageCheck.allCases { try ImageCodecs.check(bytes.span.bytes, level: level) }
    let reader = try FrameReader(bytes.span.bytes)
    let frame = try #require(try reader.next(of: bytes.span.bytes))
    #expect(reader.fault == nil)
    return (frame.pixels, reader.warnings)
  }

  static func jpeg(_ pixels: PixelBuffer, isProgressive: Bool) throws -> [UInt8] {
    try `JPEG decoding`.jpeg(pixels) { $0.isProgressive = isProgressive }
  }

  /// The position of the first segment with a marker.
  static func start(of marker: UInt8, in jpeg: [UInt8]) throws -> Int {
    try #require(jpeg.indices.dropLast().first { jpeg[$0] == 0xff && jpeg[$0 + 1] == marker })
  }

  /// Without the last bytes of its last scan.
  static func shortened(_ jpeg: [UInt8], by count: Int) -> [UInt8] {
    jpeg.dropLast(2 + count) + [0xff, 0xd9]
  }

  @Test(
    arguments: [0xd8, 0xdb, 0xc4, 0xda] as [UInt8],
    [[0], [13, 10], Array("stray".utf8)] as [[UInt8]])
  func `stray bytes between segments are a warning`(marker: UInt8, stray: [UInt8]) throws {
    let whole = try Self.jpeg(SampleImages.quarters(40, 24), isProgressive: false)
    let at = marker == 0xd8 ? 2 : try Self.start(of: marker, in: whole)

    let read = try Self.read(Array(whole[..<at]) + stray + whole[at...])

    #expect(read.pixels == (try ImageCodecs.decode(whole.span.bytes)))
    #expect(read.warnings.count == 1)
    #expect(read.warnings[0].contains("\(stray.count) extraneous bytes"))
  }

  @Test(arguments: [1, 2, 4])
  func `a last scan that ends in its last block is a warning`(missing: Int) throws {
    let whole = try Self.jpeg(SampleImages.noise(8, 8, seed: 4), isProgressive: true)

    let read = try Self.read(Self.shortened(whole, by: missing))

    #expect(read.warnings == ["Corrupt JPEG data: premature end of data segment"])
    // At most the finest detail of one block is missing.
    let difference = read.pixels.difference(from: try ImageCodecs.decode(whole.span.bytes))
    #expect(difference < 60)
  }

  @Test(arguments: [false, true])
  func `a last scan that ends before its last block is damage`(isProgressive: Bool) throws {
    let whole = try Self.jpeg(SampleImages.noise(64, 64, seed: 4), isProgressive: isProgressive)
    let short = Self.shortened(whole, by: 300)

    let error = imageError { try ImageCodecs.check(short.span.bytes, level: .decode) }
    #expect(error?.code == .corrupt)
    imageError { try ImageCodecs.decode(short.span.bytes) }
    let options = with(DecodingOptions()) { $0.allowsPartial = true }
    let reader = try FrameReader(short.span.bytes, options: options)
    _ = try reader.next(of: short.span.bytes)
    #expect(reader.fault?.code == .corrupt)
  }

  /// The codes of each scan.
  static func scans(of jpeg: [UInt8]) -> [Range<Int>] {
    jpeg.indices.dropLast(3).filter { jpeg[$0] == 0xff && jpeg[$0 + 1] == 0xda }.map { start in
      let codes = start + 2 + Int(jpeg[start + 2]) << 8 + Int(jpeg[start + 3])
      let end = jpeg[codes...].indices.dropLast().first {
        jpeg[$0] == 0xff && jpeg[$0 + 1] != 0 && !(0xd0...0xd7).contains(jpeg[$0 + 1])
      }
      return codes..<(end ?? jpeg.count)
    }
  }

  @Test(arguments: 0..<5, [0, 0.5, 1])
  func `a scan of a progressive file that ends before the last scan is a warning`(
    index: Int, missing: Double
  ) throws {
    let whole = try Self.jpeg(SampleImages.noise(64, 64, seed: 4), isProgressive: true)
    let scans = Self.scans(of: whole)
    #expect(scans.count == 6)
    let codes = scans[index]
    let count = max(1, Int(Double(codes.count) * missing))

    let short = Array(whole[..<(codes.upperBound - count)] + whole[codes.upperBound...])
    let read = try Self.read(short)

    #expect(read.warnings == ["Corrupt JPEG data: premature end of data segment"])
    let complete = try ImageCodecs.decode(whole.span.bytes)
    if missing < 1 {
      // The codes of the first units are there.
      let row = 4 * complete.width
      #expect(read.pixels.bytes[..<row].elementsEqual(complete.bytes[..<row]))
    }
    let recipe = ThumbnailRecipe(size: PixelSize(width: 16, height: 16))
    #expect(try ImageCodecs.thumbnail(of: short.span.bytes, recipe: recipe).size.width == 16)
  }

  @Test(arguments: 0..<5)
  func `a progressive file that was cut and closed is damage`(index: Int) throws {
    let whole = try Self.jpeg(SampleImages.noise(64, 64, seed: 4), isProgressive: true)
    let codes = Self.scans(of: whole)[index]

    let cut = Array(whole[..<(codes.lowerBound + codes.count / 2)])

    for (bytes, code) in [(cut, ImageError.Code.truncated), (cut + [0xff, 0xd9], .corrupt)] {
      #expect(imageError { try ImageCodecs.check(bytes.span.bytes, level: .decode) }?.code == code)
    }
  }

  @Test func `scan parameters that a sequential file does not use are a warning`() throws {
    let whole = try Self.jpeg(SampleImages.quarters(40, 24), isProgressive: false)
    var odd = whole
    // After the marker: length, number of components, two bytes for each, then the parameters.
    odd[try Self.start(of: 0xda, in: whole) + 5 + 2 * 3 + 1] = 15

    let read = try Self.read(odd)

    #expect(read.pixels == (try ImageCodecs.decode(whole.span.bytes)))
    #expect(read.warnings == ["Invalid SOS parameters for sequential JPEG"])
  }
}
