/// Where the carousel above a list stands while the list scrolls: it moves with the list, and stretches when
/// the list is pulled down.
public struct BannerFrame: Sendable, Hashable {
  /// The height at rest: 220.
  public static let restHeight = 220.0

  /// The distance of its upper edge from that of the view; never positive.
  public let top: Double
  /// Its height.
  public let height: Double

  /// - Parameter offset: Of the list; negative while it is pulled, at most by ``RefreshRing/farthestPull``.
  public init(offset: Double) {
    let offset = RefreshRing.clamped(offset: offset)
    top = offset > 0 ? -offset : 0
    height = Self.restHeight - min(offset, 0)
  }
}
