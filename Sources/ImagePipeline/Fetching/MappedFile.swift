#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A file mapped into memory for as long as this value lives.
struct MappedFile: ~Copyable {
  private let start: UnsafeMutableRawPointer?
  private let byteCount: Int

  /// Maps the first `byteCount` bytes of a regular file.
  init(path: String, byteCount: Int) throws(ImageError) {
    self.byteCount = byteCount
    // The program's own file: what may have been put in its place, a link or a FIFO, is not read.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      throw ImageError(.fileUnreadable, "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      Int(status.st_size) >= byteCount
    else {
      throw ImageError(.fileUnreadable, "\(path) is not a file of \(byteCount) bytes or more")
    }
    guard byteCount > 0 else {
      start = nil
      return
    }
    let mapped = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, file, 0)
    guard let mapped, mapped != MAP_FAILED else {
      throw ImageError(.fileUnreadable, "cannot map \(path): \(String(cString: strerror(errno)))")
    }
    start = mapped
  }

  /// Lets `body` read the bytes.
  func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
    let bytes = UnsafeRawBufferPointer(start: start, count: byteCount)
    return try body(bytes.bytes)
  }

  deinit {
    if let start { munmap(start, byteCount) }
  }
}
