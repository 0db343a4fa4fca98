import ImageCodecs
import ImageModel
import Typesetting
@testable import TestSupport

/// A drawing with one subject, for the page on focus in the documentation and its test.
struct FocusDrawing: Sendable {
  var name: String
  var drawing: Drawing
  /// The crop, as high or as wide as the drawing.
  var crop: PixelSize
  /// The rectangle that a crop must keep: left, top, right and bottom edge.
  var subject: (left: Int, top: Int, right: Int, bottom: Int)

  static let all = [boat, bird, portrait]

  /// A sailing boat near the right edge of the sea.
  static let boat = FocusDrawing(
    name: "focus-boat",
    drawing: Drawing(
      size: PixelSize(width: 330, height: 200), upper: .rgb(0x6fa8dc), lower: .rgb(0xdcecf7),
      shapes: [.rectangle(0, 120, 330, 80, .rgb(0x3d7ea6))]
        + waves() + [
          .polygon(
            [SIMD2(0, 120), SIMD2(60, 104), SIMD2(105, 112), SIMD2(150, 120)], .rgb(0x7f9a8a)),
          .polygon([SIMD2(262, 40), SIMD2(262, 116), SIMD2(214, 116)], .rgb(0xfdfdf5)),
          .polygon([SIMD2(267, 30), SIMD2(267, 116), SIMD2(310, 116)], .rgb(0xd64541)),
          .rectangle(263, 26, 3, 100, .rgb(0x5b4636)),
          .polygon(
            [SIMD2(212, 122), SIMD2(316, 122), SIMD2(296, 146), SIMD2(230, 146)], .rgb(0x34495e)),
          .rectangle(218, 126, 92, 4, .rgb(0xf2c14e)),
        ]),
    crop: PixelSize(width: 145, height: 200), subject: (212, 26, 316, 146))

  private static func waves() -> [Drawing.Shape] {
    (0..<40).map { index in
      let x = Double(index * 97 % 330)
      let y = 128 + Double(index * 37 % 68)
      return .ellipse(x: x, y: y, across: 9, down: 1, .rgb(0x5a97bb))
    }
  }

  /// A bird on a branch, at the top of a tall image.
  static let bird = FocusDrawing(
    name: "focus-bird",
    drawing: Drawing(
      size: PixelSize(width: 200, height: 330), upper: .rgb(0xcfe8cf), lower: .rgb(0x8fbf8a),
      shapes: [
        .ellipse(x: 40, y: 300, across: 90, down: 60, .rgb(0x7fb07a)),
        .ellipse(x: 160, y: 320, across: 80, down: 70, .rgb(0x76a871)),
        .polygon([SIMD2(0, 128), SIMD2(200, 108), SIMD2(200, 118), SIMD2(0, 142)], .rgb(0x6b4f3a)),
        .ellipse(x: 170, y: 100, across: 16, down: 7, .rgb(0x4f8f4f)),
        .ellipse(x: 150, y: 128, across: 14, down: 6, .rgb(0x4f8f4f)),
        .polygon([SIMD2(52, 84), SIMD2(14, 120), SIMD2(30, 124), SIMD2(70, 104)], .rgb(0x5c4433)),
        .ellipse(x: 82, y: 84, across: 36, down: 28, .rgb(0x7a5a43)),
        .ellipse(x: 96, y: 88, across: 24, down: 22, .rgb(0xe2711d)),
        .ellipse(x: 106, y: 52, across: 20, down: 19, .rgb(0x7a5a43)),
        .ellipse(x: 114, y: 57, across: 13, down: 13, .rgb(0xe2711d)),
        .ellipse(x: 112, y: 47, across: 3.5, down: 3.5, .rgb(0x111111)),
        .polygon([SIMD2(124, 50), SIMD2(140, 54), SIMD2(124, 58)], .rgb(0x3a3a3a)),
        .rectangle(78, 108, 3, 16, .rgb(0x3a3a3a)), .rectangle(92, 108, 3, 14, .rgb(0x3a3a3a)),
      ]),
    crop: PixelSize(width: 200, height: 150), subject: (14, 33, 140, 124))

  /// A person at the left, before a wall with a window.
  static let portrait = FocusDrawing(
    name: "focus-portrait",
    drawing: Drawing(
      size: PixelSize(width: 330, height: 200), upper: .rgb(0xb9c4c9), lower: .rgb(0xa9b4b9),
      shapes: [
        .rectangle(190, 24, 112, 92, .rgb(0xd9e3e8)), .rectangle(244, 24, 4, 92, .rgb(0xb9c4c9)),
        .rectangle(190, 68, 112, 4, .rgb(0xb9c4c9)),
        .rectangle(0, 186, 330, 14, .rgb(0x8f9a9f)),
        .ellipse(x: 82, y: 196, across: 58, down: 62, .rgb(0x2f5d8a)),
        .rectangle(70, 108, 24, 34, .rgb(0xc98f6c)),
        .ellipse(x: 82, y: 66, across: 38, down: 44, .rgb(0x3b2a20)),
        .ellipse(x: 82, y: 82, across: 31, down: 40, .rgb(0xe0ac85)),
        .ellipse(x: 80, y: 54, across: 34, down: 16, .rgb(0x3b2a20)),
        .ellipse(x: 70, y: 80, across: 4, down: 3, .rgb(0x222222)),
        .ellipse(x: 95, y: 80, across: 4, down: 3, .rgb(0x222222)),
        .ellipse(x: 82, y: 106, across: 11, down: 4, .rgb(0xa8433f)),
        .ellipse(x: 82, y: 92, across: 4, down: 5, .rgb(0xcd9671)),
      ]),
    crop: PixelSize(width: 130, height: 200), subject: (44, 22, 120, 122))

  /// The drawing with both crops outlined, the crop in the middle, and the one at an offset.
  func comparison(at offset: (left: Int, top: Int)) throws -> PixelBuffer {
    let original = drawing.rendered()
    let middle = ((drawing.size.width - crop.width) / 2, (drawing.size.height - crop.height) / 2)
    let gap = 12
    let label = 18
    let width = drawing.size.width + 2 * (crop.width + gap)
    let page = try Canvas(PixelSize(width: width, height: drawing.size.height + label))
    page.fill(page.bounds, .white)
    var outlined = original
    outlined.outline(middle, crop, color: .rgb(0xffffff))
    outlined.outline(offset, crop, color: .rgb(0xd0021b))
    var left = 0
    for (image, text) in [
      (outlined, "original"), (original.part(crop, at: middle), "middle"),
      (original.part(crop, at: offset), "focus auto"),
    ] {
      page.image(
        image,
        in: CanvasBox(
          x: Double(left), y: 0, width: Double(image.width), height: Double(image.height)))
      page.text(
        text, x: Double(left + 2), y: Double(image.height + 2),
        TextStyle(size: 11, color: .rgb(0x333333)))
      left += image.width + gap
    }
    return try page.pixels()
  }
}

extension PixelColor {
  /// An opaque color.
  static func rgb(_ value: UInt32) -> PixelColor {
    PixelColor(
      red: UInt8(value >> 16 & 255), green: UInt8(value >> 8 & 255), blue: UInt8(value & 255))
  }
}

extension PixelBuffer {
  fileprivate func part(_ size: PixelSize, at offset: (left: Int, top: Int)) -> PixelBuffer {
    var part = PixelBuffer(clear: size)
    part.draw(self, left: -offset.left, top: -offset.top)
    return part
  }

  fileprivate mutating func outline(
    _ offset: (left: Int, top: Int), _ size: PixelSize, color: PixelColor
  ) {
    let across = PixelBuffer(PixelSize(width: size.width, height: 2), filledWith: color)
    let down = PixelBuffer(PixelSize(width: 2, height: size.height), filledWith: color)
    draw(across, left: offset.left, top: offset.top)
    draw(across, left: offset.left, top: offset.top + size.height - 2)
    draw(down, left: offset.left, top: offset.top)
    draw(down, left: offset.left + size.width - 2, top: offset.top)
  }
}
