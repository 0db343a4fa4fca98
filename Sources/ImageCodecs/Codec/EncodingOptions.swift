import ImageModel

/// Options for encoding a file; those that its format does not have are ignored.
public struct EncodingOptions: Sendable, Hashable {
  /// The resolution of colour in a JPEG or AVIF, relative to brightness.
  public enum Chroma: String, Sendable, Codable {
    /// One colour sample for four pixels, 4:2:0: the usual choice for photographs.
    case quarter
    /// A colour sample for every pixel, 4:4:4: for drawings and text.
    case full
  }

  /// The palettes of a GIF.
  public enum Palette: String, Sendable, Codable {
    /// The one of the two that makes the smaller file and loses no more colours.
    case automatic
    /// One palette for the whole file.
    case global
    /// A palette for each frame.
    case perFrame
  }

  /// The quality of a lossy format, clamped to 1 (smallest file) through 100 (best). Default: 80.
  ///
  /// On the scale of JPEG: a WebP or an AVIF is written with the number of its own at which
  /// photographs have the same SSIM.
  public var quality: Int { didSet { quality = min(max(quality, 1), 100) } }
  /// Whether every pixel is kept exactly, where the format can, also the colours of transparent
  /// ones. Default: no.
  public var isLossless = false
  /// The number of plays of an animation; 0 is for ever, 1 writes no loop block in a GIF.
  /// Default: 0.
  public var loopCount: Int
  /// The ICC profile to embed. Default: none.
  public var iccProfile: [UInt8]?
  /// Processor time that an animation may take, looked at between frames, and a WebP at any time. An
  /// AVIF cannot be interrupted. Default: any.
  public var maximumProcessorTime: Duration?
  /// EXIF that an AVIF gets as it is written; other formats get theirs afterwards.
  var exif: [UInt8]?
  /// The resolution of colour in a JPEG or AVIF. Default: ``Chroma/quarter``.
  public var chroma = Chroma.quarter
  /// Whether a JPEG is progressive. Default: `nil`, where it has more than 10 kB and 65,536 pixels,
  /// and is smaller so.
  public var isProgressive: Bool?
  /// The compression level of a PNG, clamped to 0 (none) through 9. Default: 3.
  ///
  /// Level 3 with one row filter is some five times faster than the library's default and 1–2 %
  /// larger. From level 6 on all five filters are tried.
  public var level: Int { didSet { level = min(max(level, 0), 9) } }
  /// Whether a PNG of at most 256 colours is written with a palette. Default: yes.
  public var mayUsePalette = true
  /// The palettes of a GIF. Default: ``Palette/automatic``.
  public var palette = Palette.automatic
  /// The effort for a WebP, clamped to 0 (fastest) through 6 (smallest file). Default: 3, and 2 for
  /// an animation.
  public var effort: Int? { didSet { effort = effort.map { min(max($0, 0), 6) } } }

  /// Creates options; set what else differs from the defaults.
  public init(quality: Int = 80, level: Int = 3, loopCount: Int = 0) {
    self.quality = min(max(quality, 1), 100)
    self.level = min(max(level, 0), 9)
    self.loopCount = loopCount
  }
}

extension EncodingOptions: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "quality": quality, "isLossless": isLossless, "loopCount": loopCount,
      "iccProfile": iccProfile?.summary, "maximumProcessorTime": maximumProcessorTime,
      "chroma": chroma, "isProgressive": isProgressive, "level": level,
      "mayUsePalette": mayUsePalette, "palette": palette, "effort": effort,
    ]
  }
}
