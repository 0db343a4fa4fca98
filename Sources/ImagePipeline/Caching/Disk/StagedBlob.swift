/// Bytes on their way into the cache: a temporary file, hashed while it is written.
///
/// What is not committed is removed when the last reference goes.
public final class StagedBlob: Sendable {
  /// Bytes so far.
  public var byteCount: Int { 0 }

  init() {}

  /// Adds bytes at the end.
  ///
  /// - Throws: ``ImageError`` with code `diskFull` or `storeFailed`.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    throw ImageError(.cacheUnusable, "the disk cache is not built yet")
  }

  /// All bytes so far, read back.
  public func contents() throws(ImageError) -> [UInt8] {
    throw ImageError(.cacheUnusable, "the disk cache is not built yet")
  }

  /// Removes the file now.
  public func discard() {}
}
