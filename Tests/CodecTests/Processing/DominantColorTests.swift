import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `The dominant color` {
  static let cases: [(name: String, columns: [[UInt8]], color: [UInt8])] = [
    // All in one bin of sixteen shades a sample.
    (
      "the mean of similar colors", [[32, 64, 96, 255], [40, 70, 100, 255], [36, 67, 98, 255]],
      [36, 67, 98]
    ),
    (
      "weighed by alpha",
      [[200, 0, 0, 60], [200, 0, 0, 60], [200, 0, 0, 60], [0, 0, 200, 255]],
      [0, 0, 200]
    ),
    ("the darker red of two equal areas", [[200, 0, 0, 255], [20, 0, 0, 255]], [20, 0, 0]),
    ("in any order", [[20, 0, 0, 255], [200, 0, 0, 255]], [20, 0, 0]),
    (
      "opaque, also of a translucent image", [[10, 200, 30, 1], [10, 200, 30, 1]], [10, 200, 30]
    ),
    (
      "that of the largest area", [[9, 9, 250, 255], [9, 9, 250, 255], [250, 9, 9, 255]],
      [9, 9, 250]
    ),
    ("black of a transparent image", [[9, 9, 9, 0]], [0, 0, 0]),
  ]

  @Test(arguments: cases.indices)
  func `is as named`(index: Int) throws {
    let (name, columns, color) = Self.cases[index]
    let row = Array(columns.joined())
    let image = PixelBuffer(
      size: PixelSize(width: columns.count, height: 8),
      bytes: Array(repeatElement(row, count: 8).joined()))

    let found = try DominantColor.of(image)
    #expect([found.red, found.green, found.blue, found.alpha] == color + [255], "\(name)")
  }

  @Test(arguments: [(0, 0), (0, 9), (9, 0)])
  func `of an image without pixels is an error`(width: Int, height: Int) {
    let empty = PixelBuffer(clear: PixelSize(width: width, height: height))

    #expect(imageError { try DominantColor.of(empty) }?.code == .invalidArgument)
    #expect(imageError { try ThumbHash(of: empty) }?.code == .invalidArgument)
    #expect(imageError { try ImageSummary(of: empty) }?.code == .invalidArgument)
  }
}
