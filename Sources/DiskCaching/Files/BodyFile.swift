import CPlatform
import HTTPCaching
import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file that responses are read from: to its end even if it is evicted meanwhile.
public final class BodyFile: Sendable {
  private let file: Int32

  /// Opens a file; `nil` unless there is a regular file at the path.
  public init?(path: String) {
    file = BlobFile.open(path)
    if file < 0 { return nil }
  }

  /// Takes over an open file.
  init(_ file: Int32) { self.file = file }

  deinit { close(file) }

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
      let count = pread(file, rest.baseAddress, rest.count, off_t(offset + filled))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw ImageError(.fileUnreadable, "cannot read a body", errno: errno)
      }
      if count == 0 { break }
      filled += count
    }
    return filled
  }

  /// The first bytes, where the system has them in memory; `nil` otherwise.
  func readCached(byteCount: Int) -> [UInt8]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { room, filled in
      guard let first = room.baseAddress else { return }
      filled = max(0, imgc_file_read_cached(file, first, byteCount, 0))
    }
    return bytes.count == byteCount ? bytes : nil
  }

  /// The CRC-32C of the first bytes; `nil` where the file has fewer or cannot be read.
  func checksum(byteCount: Int) -> UInt32? {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { room in
      var checksum = CRC32C()
      var offset = 0
      while offset < byteCount {
        let piece = UnsafeMutableRawBufferPointer(
          rebasing: room[..<min(room.count, byteCount - offset)])
        guard (try? read(into: piece, at: offset)) == piece.count else { return nil }
        checksum.update(UnsafeRawBufferPointer(piece))
        offset += piece.count
      }
      return checksum.value
    }
  }
}

extension BodyFile {
  /// Identifies a file and its bytes: a change of either makes it another version.
  struct Version: Hashable {
    let inode: UInt64
    let byteCount: Int
    /// When the file was last changed in any way (`ctime`), in nanoseconds.
    let changed: Int
  }

  /// The present version; `nil` where the system does not tell.
  var version: Version? {
    var status = stat()
    guard fstat(file, &status) == 0 else { return nil }
    #if canImport(Glibc)
      let changed = status.st_ctim
    #else
      let changed = status.st_ctimespec
    #endif
    return Version(
      inode: UInt64(status.st_ino), byteCount: Int(status.st_size),
      changed: Int(changed.tv_sec) &* 1_000_000_000 &+ Int(changed.tv_nsec))
  }
}

extension BodyFile: StoredBody {
  /// The open file.
  public var descriptor: Int32? { file }

  /// Returns at most `count` bytes from an offset on; fewer only at the end.
  public func read(at offset: Int, count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = try read(into: UnsafeMutableRawBufferPointer(room), at: offset)
    }
  }
}
