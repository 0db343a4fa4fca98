#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The system calls that a hit needs.
enum Bare {
  static func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var status = stat()
    fstat(file, &status)
    let count = Int(status.st_size)
    return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      filled = pread(file, room.baseAddress, count, 0)
    }
  }
}
