/// Options of decoding.
public struct DecodingOptions: Sendable, Hashable {
  /// The meaning of decoded samples.
  public enum Color: String, Sendable, CaseIterable, Codable {
    /// As in the file; its profile, if any, is ignored.
    case asIs = "as-is"
    /// Converted to sRGB from the embedded profile; without one they count as sRGB.
    case srgb
  }

  /// Whether a damaged file is decoded as far as possible, with missing parts transparent, instead
  /// of throwing an error. Default: no.
  public var allowsPartial = false
  /// Whether the frames of an animated PNG are decoded instead of its default image. Default: no.
  public var animatesPNG = false
  /// The meaning of the samples. Default: ``Color/asIs``.
  public var color = Color.asIs

  /// Creates the default options.
  public init() {}
}

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
  public var quality: Int
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
    self.quality = min(max(quality, 1), 100)
  }
}

/// Options of PNG encoding; all of them are lossless.
public struct PNGEncodingOptions: Sendable, Hashable {
  /// The compression level, clamped to 0 (none) through 9. Default: 3.
  ///
  /// Level 3 with one filter is some five times faster than the library's default and 1–2 % larger.
  public var level: Int
  /// Whether all five row filters are tried. Default: from level 6 on.
  public var triesEveryFilter: Bool
  /// Whether an image of at most 256 colours is written with a palette. Default: yes.
  public var mayUsePalette = true
  /// The ICC profile to embed. Default: none.
  public var iccProfile: [UInt8]?

  /// Creates options with a level.
  public init(level: Int = 3) {
    self.level = min(max(level, 0), 9)
    triesEveryFilter = level >= 6
  }
}

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
