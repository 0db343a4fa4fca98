import CTypesetting
public import ImageCodecs

/// How a text is set on a ``Canvas``. Lengths are in units of the canvas.
public struct TextStyle: Sendable, Hashable {
  /// Where lines begin or end.
  public enum Alignment: Int32, Sendable {
    /// At the left, in every script.
    case left
    /// In the middle.
    case center
    /// At the right.
    case right
  }

  /// The line of a text to which its `y` refers.
  public enum Anchor: Sendable {
    /// The upper edge of the first line.
    case top
    /// The line that the letters of the first line are on.
    case baseline
  }

  /// The size of the font; lines are about 1.45 times as far apart.
  public var size: Double
  /// As in CSS: 400 is regular, 700 bold. Default: 400.
  public var weight = 400
  /// Default: black.
  public var color = PixelColor.black
  /// Within the width, or about the `x` of a text without one. Default: left.
  public var alignment = Alignment.left
  /// Default: the upper edge.
  public var anchor = Anchor.top
  /// The width that lines are broken at. Default: `nil`, one line of any length.
  public var width: Double?
  /// The maximum number of lines, if there is a width; the last ends with an ellipsis where the text
  /// is longer. Default: 1.
  public var lines = 1

  /// Creates a style; set what else differs from the defaults.
  public init(size: Double, weight: Int = 400, color: PixelColor = .black) {
    self.size = size
    self.weight = weight
    self.color = color
  }

  var bridged: imgc_text_style {
    imgc_text_style(
      size: min(max(size, 1), 1_000), width: width.map { max($0, 1) } ?? 0,
      weight: Int32(clamping: weight), lines: Int32(clamping: lines),
      alignment: alignment.rawValue, on_baseline: anchor == .baseline ? 1 : 0,
      color: color.bridged)
  }
}

extension PixelColor {
  var bridged: UInt32 {
    UInt32(red) << 24 | UInt32(green) << 16 | UInt32(blue) << 8 | UInt32(alpha)
  }
}
