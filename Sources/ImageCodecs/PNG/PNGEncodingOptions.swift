/// Options of PNG encoding; all of them are lossless.
public struct PNGEncodingOptions: Sendable, Hashable {
  /// The compression level, clamped to 0 (none) through 9. Default: 3.
  ///
  /// Level 3 with one filter is some five times faster than the library's default and 1–2 % larger.
  public var level: Int { didSet { level = Self.clamped(level) } }
  /// Whether all five row filters are tried. Default: from level 6 on.
  public var triesEveryFilter: Bool
  /// Whether an image of at most 256 colours is written with a palette. Default: yes.
  public var mayUsePalette = true
  /// The ICC profile to embed. Default: none.
  public var iccProfile: [UInt8]?

  /// Creates options with a level.
  public init(level: Int = 3) {
    self.level = Self.clamped(level)
    triesEveryFilter = level >= 6
  }

  private static func clamped(_ level: Int) -> Int { min(max(level, 0), 9) }
}
