/// How a file is turned into pixels.
public struct DecodingOptions: Sendable, Hashable {
  /// What the samples mean afterwards.
  public enum Color: String, Sendable, CaseIterable, Codable {
    /// As they stand in the file; its profile, if any, is not looked at.
    case asIs = "as-is"
    /// Converted from the embedded profile; without one they count as sRGB already.
    case srgb
  }

  /// Whether a damaged file gives what could be read of it instead of an error; missing parts are
  /// transparent. Default: no.
  public var allowsPartial = false
  /// Whether an animated PNG gives its frames, and not its default picture alone. Default: no.
  public var animatesPNG = false
  /// What the samples mean. Default: ``Color/asIs``.
  public var color = Color.asIs

  /// The defaults.
  public init() {}
}
