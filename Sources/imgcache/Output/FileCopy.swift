import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files that appear whole under their name or not at all.
enum FileCopy {
  /// Writes `bytes` to `target`, replacing what is there.
  ///
  /// A symbolic link stays, and what it leads to is replaced. A device or a pipe is written into:
  /// putting a file in its place would hide it from other programs.
  static func write(_ bytes: [UInt8], to target: String) throws {
    var facts = stat()
    let exists = stat(target, &facts) == 0
    if exists, ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) {
      let descriptor = open(target, O_WRONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw failure(target, leaving: nil) }
      return try fill(descriptor, with: bytes, for: target, leaving: nil)
    }
    let target = exists ? destination(of: target) : target
    let temporary = temporaryName(beside: target)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(target, leaving: temporary) }
    try fill(descriptor, with: bytes, for: target, leaving: temporary)
    try publish(temporary, as: target)
  }

  /// Writes all of it and closes.
  private static func fill(
    _ descriptor: Int32, with bytes: [UInt8], for target: String, leaving temporary: String?
  ) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if written > 0 {
        rest = rest.dropFirst(written)
      } else if errno != EINTR {
        let failure = failure(target, leaving: temporary)
        close(descriptor)
        throw failure
      }
    }
    guard close(descriptor) == 0 else { throw failure(target, leaving: temporary) }
  }

  /// The file that a name leads to through symbolic links.
  private static func destination(of target: String) -> String {
    guard let path = realpath(target, nil) else { return target }
    defer { free(path) }
    return String(cString: path)
  }

  private static func publish(_ temporary: String, as target: String) throws {
    guard rename(temporary, target) == 0 else { throw failure(target, leaving: temporary) }
  }

  private static func temporaryName(beside target: String) -> String {
    "\(target).\(getpid()).\(UInt32.random(in: 0 ... .max)).part"
  }

  private static func failure(_ target: String, leaving temporary: String?) -> ImageError {
    let reason = errno
    if let temporary { unlink(temporary) }
    return ImageError(writing: "cannot write \(target)", errno: reason)
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
