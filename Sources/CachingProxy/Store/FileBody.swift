import ImagePipeline

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The bytes of an open file; they can be read even after its name is gone.
final class FileBody: StoredBody {
  private let file: Int32

  /// Opens a file; `nil` when it cannot be.
  init?(path: String) {
    file = BlobFile.open(path)
    if file < 0 { return nil }
  }

  deinit { close(file) }

  func read(at offset: Int, count: Int) throws -> [UInt8] {
    var failure: Int32?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      while filled < count {
        let got = pread(
          file, room.baseAddress?.advanced(by: filled), count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        if got <= 0 { return }
        filled += got
      }
    }
    if let failure {
      throw ImageError(.fileUnreadable, "cannot read a body", errno: failure)
    }
    return bytes
  }
}
