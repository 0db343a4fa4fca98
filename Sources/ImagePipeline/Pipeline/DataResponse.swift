#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

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
  /// Their SHA-256; `nil` when they are not kept.
  public let hash: BlobHash?
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

  /// The bytes; read from the file where they are there.
  ///
  /// - Throws: ``ImageError`` with code `fileUnreadable` when the file is gone.
  public func bytes() throws(ImageError) -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .file(let path):
      do {
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
      } catch {
        throw ImageError(.fileUnreadable, "cannot read \(path): it may have been evicted")
      }
    }
  }

  init(
    _ request: ImageRequest, body: Body, byteCount: Int, record: CacheRecord, source: LoadSource,
    meter: TransferMeter, storeFailure: ImageError? = nil
  ) {
    url = request.url
    self.body = body
    self.byteCount = byteCount
    hash = record.content?.hash
    format = record.format
    size = record.size
    frameCount = record.frameCount
    self.source = source
    requestCount = meter.reading.requestCount
    receivedByteCount = meter.reading.receivedByteCount
    self.storeFailure = storeFailure
  }
}
