import CPlatform
public import HTTPCaching
public import ImageModel

/// An open file that responses are read from: to its end even if it is evicted meanwhile.
public final class BodyFile: Sendable {
  private let file: Int32

  /// Opens a file; `nil` unless there is a regular file at the path, to which no symbolic link leads.
  public init?(path: String) {
    guard let opened = try? POSIXFileSystem().openRegular(path, forWriting: false) else {
      return nil
    }
    file = opened.file
  }

  init(_ file: Int32) { self.file = file }

  deinit { POSIXFileSystem().close(file) }

  /// Fills a buffer with the bytes from an offset on, as far as the file has them; returns how
  /// many.
  ///
  /// - Throws: `ImageError` with code `fileUnreadable`.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: Int
  ) throws(ImageError) -> Int {
    do {
      return try POSIXFileSystem().read(into: buffer, from: file, at: offset)
    } catch {
      throw ImageError(.fileUnreadable, "cannot read a body", errno: error.number)
    }
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
    var checksum = CRC32C()
    let count = try? POSIXFileSystem().forEachPiece(of: file, upTo: byteCount) {
      checksum.update($0)
    }
    return count == byteCount ? checksum.value : nil
  }
}

extension BodyFile {
  /// Identifies a file and its bytes: a change of either makes it another version.
  struct Version: Hashable {
    let inode: UInt64
    let byteCount: Int
    let changed: Int
  }

  var version: Version? {
    guard let facts = try? POSIXFileSystem().facts(of: file) else { return nil }
    return Version(inode: facts.identity, byteCount: facts.byteCount, changed: facts.changed)
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
