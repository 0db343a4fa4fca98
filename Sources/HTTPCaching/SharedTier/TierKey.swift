public import ImageModel

/// The key of a value of the tier: a source image, or a variant of it.
///
/// All keys of one source have the same hash tag, and so are on one node of a cluster.
public struct TierKey: Sendable, Hashable {
  /// The URL of the source, as the keys of local entries spell it.
  public let url: ExactString
  /// The variant of the source; `nil` for the source itself.
  public let variant: ExactString?

  /// Creates a key. A variant is named by the canonical text of what was made, with the version of
  /// the encoder.
  public init(url: String, variant: String? = nil) {
    self.url = ExactString(url)
    self.variant = variant.map { ExactString($0) }
  }
}
