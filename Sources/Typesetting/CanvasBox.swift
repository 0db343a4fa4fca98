import CTypesetting

/// A rectangle on a ``Canvas``, in its units.
public struct CanvasBox: Sendable, Hashable {
  /// The left edge and the upper edge.
  public var x, y: Double
  /// The sides, each above 0.
  public var width, height: Double
  /// The radius of the corners; 0 for square ones.
  public var radius: Double

  /// Creates a rectangle, by default with square corners.
  public init(x: Double, y: Double, width: Double, height: Double, radius: Double = 0) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
    self.radius = radius
  }

  var bridged: imgc_box { imgc_box(x: x, y: y, width: width, height: height, radius: radius) }
}
