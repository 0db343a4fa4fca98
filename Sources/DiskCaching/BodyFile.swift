import HTTPCaching
import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file of the cache that responses are read from: to its end even if it is evicted
/// meanwhile.
public final class BodyFile: Sendable {
  private let descriptor: Int32

  /// Opens a file; `nil` unless there is a regular file at the path.
  public init?(path: String) {
    descriptor = BlobFile.open(path)
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Fills a buffer with the bytes from an offset on, as far as the file has them.
  ///
  /// - Returns: The number of bytes read.
  /// - Throws: ``ImageError`` with code `fileUnreadable`.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(ImageError) -> Int {
    var filled = 0
    while filled < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw ImageError(.fileUnreadable, "cannot read a body", errno: errno)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }
}

extension BodyFile: StoredBody {
  /// Returns at most `count` bytes from an offset on; fewer only at the end.
  public func read(at offset: Int, count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = try read(into: UnsafeMutableRawBufferPointer(room), at: offset)
    }
  }
}
