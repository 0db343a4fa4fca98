import DiskCaching
import ImageModel

enum OutputFile {
  /// Writes `bytes` to `target` whole or not at all, replacing its previous content.
  ///
  /// A symbolic link stays, and its destination is replaced. Bytes are written into a device or a
  /// pipe: putting a file in its place would hide it from other programs.
  static func write(_ bytes: [UInt8], to target: String) throws(ImageError) {
    let type = target.fileType
    let destination = realpath(target.fileName, nil)
    defer { free(destination) }
    if let type, destination == nil || ![S_IFREG, S_IFDIR].contains(type) {
      let descriptor = open(target.fileName, O_WRONLY | O_CLOEXEC)
      defer { if descriptor >= 0 { close(descriptor) } }
      guard descriptor >= 0, Stream.writeAll(bytes.span.bytes, to: descriptor) else {
        throw ImageError(writing: "cannot write \(target)", errno: errno)
      }
    } else if let destination {
      try AtomicFile.write(bytes.span.bytes, to: destination, path: target)
    } else {
      try AtomicFile.write(bytes.span.bytes, to: target.fileName, path: target)
    }
  }

  /// Checks that lines could be appended to a file. One that does not exist is created and removed.
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
}
