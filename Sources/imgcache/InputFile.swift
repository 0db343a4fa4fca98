import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads a file that was named on the command line; `-` is stdin.
enum InputFile {
  /// All bytes of the file.
  ///
  /// - Throws: ``ImageError`` with code `fileUnreadable`, or `limitExceeded` above `maximum` bytes.
  static func read(_ path: String, maximum: Int) throws(ImageError) -> [UInt8] {
    // Stdin and pipes with a name may let one wait.
    try Interruption.whileExpendable { () throws(ImageError) in try bytes(of: path, maximum) }
  }

  /// Whether a path leads to a regular file: reading one does not wait for anything.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func bytes(of path: String, _ maximum: Int) throws(ImageError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw ImageError(.fileUnreadable, "cannot read \(path): it is a directory")
    }
    guard status.st_size <= maximum else { throw tooLarge(path, maximum) }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(status.st_size) + 1)
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { chunk.deallocate() }
    while true {
      #if canImport(Glibc)
        let count = Glibc.read(descriptor, chunk.baseAddress, chunk.count)
      #else
        let count = Darwin.read(descriptor, chunk.baseAddress, chunk.count)
      #endif
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unreadable(path) }
      guard bytes.count + count <= maximum else { throw tooLarge(path, maximum) }
      bytes.append(contentsOf: chunk[..<count])
    }
  }

  private static func unreadable(_ path: String) -> ImageError {
    ImageError(.fileUnreadable, "cannot read \(path)", errno: errno)
  }

  private static func tooLarge(_ path: String, _ maximum: Int) -> ImageError {
    ImageError(.limitExceeded, "\(path) has more than the \(maximum) bytes allowed")
  }
}
