/// Options of GIF encoding.
public struct GIFEncodingOptions: Sendable, Hashable {
  /// The palettes of a file.
  public enum Palette: String, Sendable, Codable {
    /// The one of the two that makes the smaller file and loses no more colours.
    case automatic
    /// One palette for the whole file.
    case global
    /// A palette for each frame.
    case perFrame
  }

  /// The number of plays; 0 is for ever, 1 writes no loop block. Default: 0.
  public var loopCount: Int
  /// The palettes. Default: ``Palette/automatic``.
  public var palette = Palette.automatic

  /// Creates options with a loop count.
  public init(loopCount: Int = 0) {
    self.loopCount = min(max(loopCount, 0), 65_536)
  }
}
