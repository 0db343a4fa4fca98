#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system calls that a cache of files needs.
enum BareFiles {
  /// `open`, `fstat`, `pread`, `close`.
  static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    let count = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = max(0, pread(file, room.baseAddress, count, 0))
    }
  }

  /// An `open` that fails.
  static func openMissing(_ path: String) {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    if file >= 0 { close(file) }
  }

  /// A temporary file, renamed; where `folder` is named both are synchronised.
  static func write(
    _ bytes: [UInt8], temporary: String, final: String, synchronizing folder: String? = nil
  ) {
    let file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o444)
    guard file >= 0 else { return }
    _ = bytes.withUnsafeBytes { pwrite(file, $0.baseAddress, $0.count, 0) }
    if folder != nil { fsync(file) }
    close(file)
    rename(temporary, final)
    guard let folder else { return }
    let directory = open(folder, O_RDONLY | O_CLOEXEC)
    fsync(directory)
    close(directory)
  }
}
