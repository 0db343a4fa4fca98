import CPlatform
import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Files that appear whole under their name or not at all.
enum FileCopy {
  /// How a copy is made.
  enum Mode {
    /// Shares the blocks where the file system can (a reflink), else copies the bytes.
    case copy
    /// A second name for the same file; a copy where that is not possible.
    case hardLink
  }

  /// Places a copy of `source` at `target`, replacing what is there.
  ///
  /// - Throws: ``ImageError`` with code `diskFull` or `storeFailed`.
  static func copy(_ source: String, to target: String, mode: Mode) throws {
    let temporary = temporaryName(beside: target)
    if mode == .hardLink, link(source, temporary) == 0 {
      try publish(temporary, as: target)
      return
    }
    guard imgc_copy_file(source, temporary) == 0 else {
      throw failure(target, leaving: temporary)
    }
    try publish(temporary, as: target)
  }

  /// Writes `bytes` to `target`, replacing what is there.
  static func write(_ bytes: [UInt8], to target: String) throws {
    let temporary = temporaryName(beside: target)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(target, leaving: temporary) }
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
    try publish(temporary, as: target)
  }

  private static func publish(_ temporary: String, as target: String) throws {
    guard rename(temporary, target) == 0 else { throw failure(target, leaving: temporary) }
    // Two names of one file: rename does nothing and the temporary name stays.
    unlink(temporary)
  }

  private static func temporaryName(beside target: String) -> String {
    "\(target).\(getpid()).\(UInt32.random(in: 0 ... .max)).part"
  }

  private static func failure(_ target: String, leaving temporary: String) -> ImageError {
    let reason = errno
    unlink(temporary)
    return ImageError(
      reason == ENOSPC || reason == EDQUOT ? .diskFull : .storeFailed,
      "cannot write \(target): \(String(cString: strerror(reason)))")
  }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
