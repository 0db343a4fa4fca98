/// Options of JPEG encoding.
public struct JPEGEncodingOptions: Sendable, Hashable {
  /// The resolution of colour relative to brightness.
  public enum Chroma: String, Sendable, Codable {
    /// One colour sample for four pixels, 4:2:0: the usual choice for photographs.
    case quarter
    /// A colour sample for every pixel, 4:4:4: for drawings and text.
    case full
  }

  /// The quality on libjpeg's scale, clamped to 1 (smallest file) through 100 (best). Default: 80.
  public var quality: Int { didSet { quality = Self.clamped(quality) } }
  /// The resolution of colour. Default: ``Chroma/quarter``.
  public var chroma = Chroma.quarter
  /// Whether the JPEG is progressive. Default: no.
  public var isProgressive = false
  /// Whether the Huffman tables are optimised: some 5 % smaller, and slower. Default: no.
  public var isOptimised = false
  /// The ICC profile to embed. Default: none.
  public var iccProfile: [UInt8]?

  /// Creates options with a quality.
  public init(quality: Int = 80) {
    self.quality = Self.clamped(quality)
  }

  private static func clamped(_ quality: Int) -> Int { min(max(quality, 1), 100) }
}
