import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// A TIFF structure with one directory.
private struct ExifData {
  struct Entry {
    var tag: UInt16 = 0x0112
    var type: UInt16 = 3
    var value: UInt32
    var count: UInt32 = 1
  }

  var isBigEndian = false
  /// The position of the directory, which is also where the bytes before it end.
  var start = 8
  var entries: [Entry] = []
  /// The number of entries that is announced; `nil` for the true one.
  var announced: UInt16?

  private func number(_ value: UInt32, _ count: Int) -> [UInt8] {
    let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    return isBigEndian ? little.reversed() : little
  }

  var bytes: [UInt8] {
    var tiff: [UInt8] = (isBigEndian ? [0x4d, 0x4d] : [0x49, 0x49]) + number(42, 2)
    tiff += number(UInt32(start), 4)
    tiff += [UInt8](repeating: 0xee, count: max(0, start - tiff.count))
    tiff += number(UInt32(announced ?? UInt16(entries.count)), 2)
    for entry in entries {
      tiff += number(UInt32(entry.tag), 2) + number(UInt32(entry.type), 2)
      tiff += number(entry.count, 4)
      // A short value is in the first two of four bytes.
      tiff += entry.type == 3 ? number(entry.value, 2) + [0, 0] : number(entry.value, 4)
    }
    return tiff + number(0, 4)
  }
}

@Suite struct `The EXIF orientation` {
  private static let jpeg = try? ImageCodecs.encodeJPEG(SampleImages.quarters(16, 8))

  static func segment(_ marker: UInt8, _ body: [UInt8]) -> [UInt8] {
    let count = body.count + 2
    return [0xff, marker, UInt8(count >> 8), UInt8(count & 255)] + body
  }

  static func exif(_ tiff: [UInt8]) -> [UInt8] { segment(0xe1, Array("Exif\0\0".utf8) + tiff) }

  /// The orientation that a JPEG with these segments has.
  static func orientation(_ segments: [[UInt8]]) throws -> Int {
    let file = SampleImages.jpeg(try #require(jpeg), inserting: segments)
    return try ImageCodecs.info(of: file.span.bytes).orientation
  }

  private static func orientation(_ data: ExifData) throws -> Int {
    try orientation([exif(data.bytes)])
  }

  @Test(arguments: [false, true], [UInt16(3), 4])
  func `is read in both byte orders, short or long`(isBigEndian: Bool, type: UInt16) throws {
    for value in UInt32(1)...8 {
      var data = ExifData(isBigEndian: isBigEndian)
      data.entries = [ExifData.Entry(type: type, value: value)]

      #expect(try Self.orientation(data) == Int(value))
    }
  }

  @Test(
    arguments: [
      ExifData.Entry(value: 0), ExifData.Entry(value: 9), ExifData.Entry(value: 255),
      ExifData.Entry(value: 65_535),
    ] + [1, 2, 5, 7, 9, 12, 99].map { ExifData.Entry(type: $0, value: 6) }, [false, true])
  private func `outside 1 to 8, or of another type than a number, counts as 1`(
    entry: ExifData.Entry, isBigEndian: Bool
  ) throws {
    let data = ExifData(isBigEndian: isBigEndian, entries: [entry])
    #expect(try Self.orientation(data) == 1)
  }

  @Test(
    arguments: [
      [0x49, 0x49, 0, 42], [0x4d, 0x4d, 42, 0], [0x49, 0x4d, 42, 0], [0x4a, 0x4a, 42, 0],
      [0x49, 0x49, 43, 0],
      // A directory outside the data.
      [0x49, 0x49, 42, 0, 255, 255, 255, 255], [0x49, 0x49, 42, 0, 255, 255, 255, 127],
      [0x49, 0x49, 42, 0, 232, 3, 0, 0], [0x49, 0x49, 42, 0, 27, 0, 0, 0],
    ] as [[UInt8]])
  func `behind another signature, or outside the data, is 1`(head: [UInt8]) throws {
    let data = ExifData(entries: [ExifData.Entry(value: 6)])
    #expect(try Self.orientation([Self.exif(head + data.bytes.dropFirst(head.count))]) == 1)
  }

  @Test func `is found behind other entries, and the first of two counts`() throws {
    var data = ExifData()
    let other = ExifData.Entry(tag: 0x010f, type: 2, value: 100, count: 20)
    data.entries = [other, other, ExifData.Entry(value: 8), ExifData.Entry(value: 3)]

    #expect(try Self.orientation(data) == 8)
  }

  @Test(arguments: [8, 9, 26, 1000])
  func `is found wherever the directory is`(start: Int) throws {
    let data = ExifData(start: start, entries: [ExifData.Entry(value: 5)])

    #expect(try Self.orientation(data) == 5)
  }

  @Test func `is read of as many entries as there are, not as are announced`() throws {
    var many = ExifData(announced: .max)
    many.entries = [ExifData.Entry(tag: 1, value: 1), ExifData.Entry(value: 7)]
    let few = with(many) { $0.announced = 1 }

    #expect(try Self.orientation(many) == 7)
    #expect(try Self.orientation(few) == 1)
  }

  @Test func `of data that is cut anywhere is 1 or the whole value`() throws {
    let data = ExifData(
      isBigEndian: true, entries: [ExifData.Entry(tag: 1, value: 9), ExifData.Entry(value: 6)])
    // The entry ends before the four bytes that would lead to another directory.
    let end = data.bytes.count - 4

    for count in 0...data.bytes.count {
      let found = try Self.orientation([Self.exif(Array(data.bytes.prefix(count)))])
      #expect(found == (count >= end ? 6 : 1), "\(count) bytes")
    }
  }

  @Test func `is that of the first segment that turns, and XMP is not one`() throws {
    let xmp = Self.segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0<x orientation='3'/>".utf8))
    let upright = SampleImages.exif(orientation: 1)
    let turned = SampleImages.exif(orientation: 6)
    let other = SampleImages.exif(orientation: 3)

    #expect(try Self.orientation([xmp]) == 1)
    #expect(try Self.orientation([xmp, turned]) == 6)
    #expect(try Self.orientation([upright, turned, other]) == 6)
    #expect(try Self.orientation([Self.segment(0xe2, Array(turned.dropFirst(4)))]) == 1)
  }

  @Test(arguments: 0..<40)
  func `of random bytes is 1 to 8, and the image keeps its pixels`(seed: Int) throws {
    var random = SplitMix64(seed: UInt64(seed))
    let head: [UInt8] = seed % 2 == 0 ? [0x49, 0x49, 42, 0] : [0x4d, 0x4d, 0, 42]
    let place: [UInt8] = seed % 2 == 0 ? [8, 0, 0, 0] : [0, 0, 0, 8]
    let rest = (0..<Int(random.next() % 60)).map { _ in UInt8(random.next() % 24) }

    let file = SampleImages.jpeg(
      try #require(Self.jpeg), inserting: [Self.exif(head + place + rest)])
    let info = try ImageCodecs.info(of: file.span.bytes)
    let image = try ImageCodecs.decode(file.span.bytes)

    #expect((1...8).contains(info.orientation), "seed \(seed)")
    #expect(info.size == image.size, "seed \(seed)")
    #expect(image.size.pixelCount == 128, "seed \(seed)")
  }
}
