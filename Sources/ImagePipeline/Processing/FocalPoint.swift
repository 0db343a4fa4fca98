/// The point of a picture that cropping keeps, in shares of its sides: 0 is left or top, 1 right or bottom.
public struct FocalPoint: Sendable, Hashable {
  /// From the left edge.
  public let x: Double
  /// From the upper edge.
  public let y: Double

  /// Creates a point; what lies outside, or is no number, is brought to the nearest edge or the middle.
  public init(x: Double, y: Double) {
    self.x = x.isNaN ? 0.5 : min(max(x, 0), 1)
    self.y = y.isNaN ? 0.5 : min(max(y, 0), 1)
  }

  /// Reads `X,Y`, each from 0 to 1; `nil` for anything else.
  public init?(text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let x = parts[0], let y = parts[1], (0...1).contains(x),
      (0...1).contains(y)
    else { return nil }
    self.init(x: x, y: y)
  }

  /// The middle.
  public static let center = FocalPoint(x: 0.5, y: 0.5)
}
