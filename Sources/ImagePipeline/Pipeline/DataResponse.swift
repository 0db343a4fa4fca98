/// The encoded bytes of a picture, and where they came from.
public struct DataResponse: Sendable {
  /// The bytes themselves, or where they lie.
  public enum Body: Sendable {
    /// In memory.
    case bytes([UInt8])
    /// A regular file of the cache; it stays readable until it is evicted.
    case file(path: String)
  }

  /// The URL as it was asked for.
  public let url: String
  /// The bytes, as the origin sent them.
  public let body: Body
  /// How many there are.
  public let byteCount: Int
  /// What they are, sniffed; `nil` when that was not checked.
  public let format: ImageFormat?
  /// The size of the picture as it is shown; `nil` when that was not checked.
  public let size: PixelSize?
  /// Frames of the picture, at least 1.
  public let frameCount: Int
  /// Which tier answered.
  public let source: LoadSource
  /// HTTP requests that were sent for it, redirects and retries included.
  public let requestCount: Int
  /// Bytes of bodies received for it.
  public let receivedByteCount: Int
  /// Why the bytes could not be kept although they were had; `nil` when they are kept.
  public let storeFailure: ImageError?
}
