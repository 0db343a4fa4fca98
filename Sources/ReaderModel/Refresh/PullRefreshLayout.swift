/// Where the parts of the ``PullRefresh`` header stand, in points from its lower left corner upwards, and
/// their colours.
public enum PullRefreshLayout {
  /// A place: x from the left, y above the lower edge to the upper edge of the part, width and height. A
  /// width of 0 is the whole width.
  public struct Place: Sendable, Hashable, Codable {
    /// From the left edge.
    public let x: Double
    /// From the lower edge of the header up to the upper edge of the part.
    public let above: Double
    /// 0 for the whole width.
    public let width: Double
    /// Of the part.
    public let height: Double
  }

  /// "Last updated", 12 points.
  public static let lastUpdated = Place(x: 0, above: 30, width: 0, height: 20)
  /// What to do, bold 13 points.
  public static let status = Place(x: 0, above: 48, width: 0, height: 20)
  /// The arrow.
  public static let arrow = Place(x: 25, above: 65, width: 30, height: 55)
  /// The spinner.
  public static let spinner = Place(x: 25, above: 38, width: 20, height: 20)
  /// Behind everything: red, green, blue.
  public static let background = [226, 231, 237]
  /// Of the texts: red, green, blue.
  public static let textColor = [87, 108, 137]
}
