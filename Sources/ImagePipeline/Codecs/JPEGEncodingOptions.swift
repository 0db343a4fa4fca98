/// How a JPEG is written.
public struct JPEGEncodingOptions: Sendable, Hashable {
  /// How finely colour is kept beside brightness.
  public enum Chroma: String, Sendable, Codable {
    /// One colour sample for four pixels, 4:2:0: the usual choice for photographs.
    case quarter
    /// A colour sample for every pixel, 4:4:4: for drawings and text.
    case full
  }

  /// 1 (smallest) through 100 (finest), the scale of libjpeg; values outside are clamped. Default: 80.
  public var quality: Int
  /// How finely colour is kept. Default: ``Chroma/quarter``.
  public var chroma = Chroma.quarter
  /// Whether a coarse picture comes first and is refined. Default: no.
  public var isProgressive = false
  /// Whether the code tables are made for this picture: some 5 % smaller, at more time. Default: no.
  public var isOptimised = false
  /// The ICC profile to embed. Default: none.
  public var iccProfile: [UInt8]?

  /// Creates options with a quality; set what else differs from the defaults.
  public init(quality: Int = 80) {
    self.quality = min(max(quality, 1), 100)
  }
}
