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
    // Nothing but a regular file can be mapped; a FIFO must not hold the open up.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      throw ImageError(.fileUnreadable, "cannot open \(path): \(String(cString: strerror(errno)))")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Int(status.st_size) >= byteCount else {
      throw ImageError(.fileUnreadable, "\(path) is shorter than \(byteCount) bytes")
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
