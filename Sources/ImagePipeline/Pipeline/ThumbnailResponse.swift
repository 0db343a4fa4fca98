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
  /// Whether it was made now; else it was kept.
  public let isNew: Bool
  /// The read-only file that holds it in the cache; `nil` where there is none.
  public let path: String?
  /// Why it could not be kept although it was made; `nil` when it is kept.
  public let storeFailure: ImageError?
}
