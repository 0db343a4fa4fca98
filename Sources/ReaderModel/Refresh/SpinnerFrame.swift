/// Where the red spinner for older days stands: 0.4 of the width from the left, 0.9 of the height from the
/// top, 100 wide and high. It shows only while a load runs.
public struct SpinnerFrame: Sendable, Hashable {
  /// From the left edge of the view.
  public let x: Double
  /// From its upper edge.
  public let y: Double
  /// Its width and height: 100.
  public static let side = 100.0
  /// The parts of the view's width and height that lie before it.
  public static let place = (x: 0.4, y: 0.9)

  /// - Parameters:
  ///   - width: Of the view.
  ///   - height: Of the view.
  public init(width: Double, height: Double) {
    x = Self.place.x * width
    y = Self.place.y * height
  }
}
