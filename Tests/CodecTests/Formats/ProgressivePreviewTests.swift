import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Progressive previews` {
  static let picture = SampleImages.gradient(320, 200)

  static func jpeg(isProgressive: Bool = true) throws -> [UInt8] {
    let options = with(EncodingOptions(quality: 90)) { $0.isProgressive = isProgressive }
    return try ImageCodecs.encodeJPEG(picture, options: options)
  }

  /// Feeds a body in pieces, advancing the clock after each.
  static func previews(
    _ bytes: [UInt8], piece: Int, step: Duration, interval: Duration = .zero, eighths: Int = 8
  ) throws -> [PixelBuffer] {
    let decoder = ProgressivePreviews(interval: interval, eighths: eighths)
    var result: [PixelBuffer] = []
    var time = Duration.zero
    for start in stride(from: 0, to: bytes.count, by: piece) {
      let part = Array(bytes[start..<min(start + piece, bytes.count)])
      if let preview = decoder.append(part.span.bytes, at: time) { result.append(preview) }
      time += step
    }
    return result
  }

  static func error(_ preview: PixelBuffer) -> Int {
    zip(preview.bytes, picture.bytes).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
  }

  @Test(arguments: [7, 1000])
  func `each preview is at least as good as the one before`(piece: Int) throws {
    let found = try Self.previews(try Self.jpeg(), piece: piece, step: .milliseconds(1))

    #expect(found.count >= 2)
    #expect(found.allSatisfy { $0.size == Self.picture.size })
    let errors = found.map(Self.error)
    // A scan refines one plane or band; the others may get slightly worse.
    #expect(zip(errors, errors.dropFirst()).allSatisfy { $1 <= $0 + $0 / 10 })
    #expect((errors.last ?? 0) < (errors.first ?? 0))
  }

  @Test func `none comes with or after the end of the image`() throws {
    let bytes = try Self.jpeg()

    #expect(try Self.previews(bytes, piece: bytes.count, step: .seconds(1)).isEmpty)
    let decoder = ProgressivePreviews(interval: .zero)
    #expect(decoder.append(bytes.span.bytes, at: .zero) == nil)
    #expect(decoder.append([0xff, 0xd9, 1, 2].span.bytes, at: .seconds(9)) == nil)
  }

  @Test func `they are at least the interval apart`() throws {
    let bytes = try Self.jpeg()

    let often = try Self.previews(bytes, piece: 50, step: .milliseconds(10))
    let seldom = try Self.previews(
      bytes, piece: 50, step: .milliseconds(10), interval: .seconds(60))

    #expect(often.count > 1)
    #expect(seldom.count == 1)
  }

  @Test func `they are upright and scaled`() throws {
    let turned = SampleImages.jpeg(try Self.jpeg(), inserting: [SampleImages.exif(orientation: 6)])

    let found = try Self.previews(turned, piece: 100, step: .milliseconds(1), eighths: 2)

    #expect(found.first?.size == PixelSize(width: 50, height: 80))
  }

  @Test func `a file of one scan or another kind gives none`() throws {
    let png = try ImageCodecs.encodePNG(Self.picture)

    #expect(try Self.previews(try Self.jpeg(isProgressive: false), piece: 64, step: .zero).isEmpty)
    #expect(try Self.previews(png, piece: 64, step: .zero).isEmpty)
  }

  @Test func `damage ends the previews, and limits are enforced`() throws {
    var bytes = try Self.jpeg()
    for at in stride(from: bytes.count / 3, to: bytes.count, by: 3) { bytes[at] = 0xff }
    _ = try Self.previews(bytes, piece: 64, step: .milliseconds(1))

    let limits = with(ImageLimits()) { $0.maximumPixels = 1000 }
    let decoder = ProgressivePreviews(interval: .zero, limits: limits)
    let whole = try Self.jpeg()
    for start in stride(from: 0, to: whole.count, by: 64) {
      let part = Array(whole[start..<min(start + 64, whole.count)])
      #expect(decoder.append(part.span.bytes, at: .seconds(start)) == nil)
    }
  }
}
