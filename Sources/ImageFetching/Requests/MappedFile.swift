package import ImageModel

#if canImport(Darwin)
  package import Darwin
#else
  import Glibc
#endif

/// A file mapped into memory for as long as this value lives.
package struct MappedFile: ~Copyable {
  private let start: UnsafeMutableRawPointer?
  private let byteCount: Int

  package init(path: String, byteCount: Int) throws(ImageError) {
    // A link or a FIFO that was put in the file's place is not read.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard file >= 0 else {
      throw ImageError(.fileUnreadable, "cannot open \(path)", errno: errno)
    }
    defer { close(file) }
    try self.init(descriptor: file, byteCount: byteCount, name: path)
  }

  package init(descriptor file: Int32, byteCount: Int, name: String = "a body") throws(ImageError) {
    self.byteCount = byteCount
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      Int(status.st_size) >= byteCount
    else {
      throw ImageError(.fileUnreadable, "\(name) is not a file of \(byteCount) bytes or more")
    }
    guard byteCount > 0 else {
      start = nil
      return
    }
    let mapped = mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, file, 0)
    guard let mapped, mapped != MAP_FAILED else {
      throw ImageError(.fileUnreadable, "cannot map \(name)", errno: errno)
    }
    start = mapped
  }

  package func withBytes<Result>(_ body: (RawSpan) throws -> Result) throws -> Result {
    let bytes = UnsafeRawBufferPointer(start: start, count: byteCount)
    return try body(bytes.bytes)
  }

  deinit {
    if let start { munmap(start, byteCount) }
  }
}
