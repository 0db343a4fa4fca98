/// A thumbnail, encoded, and where it came from.
public struct ThumbnailResponse: Sendable {
  /// The encoded bytes.
  public let bytes: [UInt8]
  /// What they are.
  public let format: ImageFormat
  /// The thumbnail's size in pixels.
  public let size: PixelSize
  /// Frames, at least 1.
  public let frameCount: Int
  /// The SHA-256 of the bytes.
  public let hash: BlobHash
  /// Whether it was made now; else it was kept.
  public let isNew: Bool
  /// The read-only file that holds it in the cache; `nil` where there is none.
  public let path: String?
  /// Why it could not be kept although it was made; `nil` when it is kept.
  public let storeFailure: ImageError?
  /// Which tier had the original.
  public let source: LoadSource
  /// How far the original could be trusted.
  public let freshness: LoadFreshness
  /// The stages on the way, in the order of their ends.
  public internal(set) var steps: [LoadStep] = []
  /// Whether it was made for somebody else who had asked already.
  public internal(set) var wasShared = false
  /// What is known of the original.
  package let original: CacheRecord
}
