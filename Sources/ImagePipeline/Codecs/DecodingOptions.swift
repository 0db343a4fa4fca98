/// How a file is turned into pixels.
public struct DecodingOptions: Sendable, Hashable {
  /// Whether a damaged file gives what could be read of it instead of an error; missing parts are
  /// transparent. Default: no.
  public var allowsPartial = false

  /// The defaults.
  public init() {}
}
