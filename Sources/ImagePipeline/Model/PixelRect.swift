/// A part of a picture, in pixels from its upper left corner; edges may cut through pixels.
public struct PixelRect: Sendable, Hashable {
  /// The left edge.
  public var left: Double
  /// The upper edge.
  public var top: Double
  /// From the left to the right edge.
  public var width: Double
  /// From the upper to the lower edge.
  public var height: Double

  /// Creates a rectangle.
  public init(left: Double, top: Double, width: Double, height: Double) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }

  /// All of a picture.
  public init(_ size: PixelSize) {
    self.init(left: 0, top: 0, width: Double(size.width), height: Double(size.height))
  }
}
