/// Options of WebP encoding.
public struct WebPEncodingOptions: Sendable, Hashable {
  /// The quality on libwebp's scale, clamped to 1 (smallest file) through 100 (best). Default: 80.
  public var quality: Int { didSet { quality = Self.clamped(quality) } }
  /// Whether every pixel is kept exactly, also the colours of transparent ones. Default: no.
  public var isLossless = false
  /// The effort, clamped to 0 (fastest) through 6 (smallest file). Default: 3.
  public var effort = 3 { didSet { effort = min(max(effort, 0), 6) } }
  /// The number of plays of an animation; 0 is for ever. Default: 0.
  public var loopCount = 0
  /// The ICC profile to embed. Default: none.
  public var iccProfile: [UInt8]?

  /// Creates options with a quality.
  public init(quality: Int = 80) {
    self.quality = Self.clamped(quality)
  }

  private static func clamped(_ quality: Int) -> Int { min(max(quality, 1), 100) }
}
