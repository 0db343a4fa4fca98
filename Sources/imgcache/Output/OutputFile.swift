import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files that appear whole under their name or not at all.
enum OutputFile {
  /// Writes `bytes` to `target`, replacing its previous content.
  ///
  /// A symbolic link stays, and its destination is replaced. Bytes are written into a device or a
  /// pipe: putting a file in its place would hide it from other programs.
  static func write(_ bytes: [UInt8], to target: String) throws(ImageError) {
    var facts = stat()
    let exists = stat(target.fileName, &facts) == 0
    if exists, ![S_IFREG, S_IFDIR].contains(facts.st_mode & S_IFMT) {
      let descriptor = open(target.fileName, O_WRONLY | O_CLOEXEC)
      guard fill(descriptor, with: bytes) else { throw failure(target) }
      return
    }
    let target = exists ? destination(of: target) : target
    let temporary = "\(target).\(getpid()).\(UInt32.random(in: 0 ... .max)).part".fileName
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard fill(descriptor, with: bytes), rename(temporary, target.fileName) == 0 else {
      let failure = failure(target)
      unlink(temporary)
      throw failure
    }
  }

  /// Checks that lines could be appended to a file. One that does not exist is created and removed.
  ///
  /// - Throws: ``ImageError`` with code `storeFailed`.
  static func checkAppending(to path: String) throws(ImageError) {
    let flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK
    let created = open(path, flags | O_CREAT | O_EXCL, 0o644)
    if created >= 0 { unlink(path) }
    let descriptor = created < 0 && errno == EEXIST ? open(path, flags) : created
    // A pipe that no process reads yet gives ENXIO.
    guard descriptor >= 0 || errno == ENXIO else {
      throw ImageError(.storeFailed, "cannot write \(path)", errno: errno)
    }
    if descriptor >= 0 { close(descriptor) }
  }

  /// Writes all bytes and closes the file; `false` for a failure, with the reason in `errno`.
  private static func fill(_ descriptor: Int32, with bytes: [UInt8]) -> Bool {
    guard descriptor >= 0 else { return false }
    guard Stream.writeAll(bytes.span.bytes, to: descriptor) else {
      let reason = errno
      close(descriptor)
      errno = reason
      return false
    }
    return close(descriptor) == 0
  }

  private static func destination(of target: String) -> String {
    guard let path = realpath(target.fileName, nil) else { return target }
    defer { free(path) }
    return String(fileName: path)
  }

  private static func failure(_ target: String) -> ImageError {
    ImageError(writing: "cannot write \(target)", errno: errno)
  }
}
