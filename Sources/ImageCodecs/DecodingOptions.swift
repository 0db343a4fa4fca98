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
