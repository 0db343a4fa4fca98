/// How a GIF is written.
public struct GIFEncodingOptions: Sendable, Hashable {
  /// Where the colours of the frames stand.
  public enum Palette: String, Sendable, Codable {
    /// Whichever of the two makes the smaller file and loses no more colours.
    case automatic
    /// One palette for the whole file.
    case global
    /// A palette for each frame.
    case perFrame
  }

  /// How many times it plays; 0 is for ever, 1 writes no loop block. Default: 0.
  public var loopCount: Int
  /// Where the colours stand. Default: ``Palette/automatic``.
  public var palette = Palette.automatic

  /// Creates options; set what differs from the defaults.
  public init(loopCount: Int = 0) {
    self.loopCount = min(max(loopCount, 0), 65_536)
  }
}
