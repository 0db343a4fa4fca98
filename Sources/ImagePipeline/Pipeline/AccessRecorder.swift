#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Appends the accesses of a pipeline to a file, in the format that `imgcache simulate` reads: see ``AccessLine``.
///
///     let recorder = try AccessRecorder(path: "trace.csv")
///     configuration.observers.append(recorder)
///     …
///     try recorder.finish()
///
/// Lines are gathered and written whole, in one call for many, so that a hit in memory stays quick and several
/// processes can share a file. What was gathered in the last second is lost with a process that is killed; half a line
/// that it left behind is cut off by the next one that records, unless others are recording.
public final class AccessRecorder: PipelineObserver {
  private let path: String
  private let clock: @Sendable () -> Date
  private let file: Locked<File>

  private struct File {
    var descriptor: Int32
    var lines: [UInt8] = []
    var lastWrite = Date.distantPast
    var failure: ImageError?
  }

  /// Opens the file for appending, or creates it.
  ///
  /// - Parameter clock: The time now. Default: the system's clock.
  /// - Throws: ``ImageError`` with code `storeFailed`.
  public init(path: String, clock: @escaping @Sendable () -> Date = { Date() }) throws(ImageError) {
    var descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    // A pipe is for writing alone, and so may a file be.
    if descriptor < 0 { descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC) }
    guard descriptor >= 0 else { throw Self.unwritable(path) }
    Self.cutTornLine(descriptor)
    self.path = path
    self.clock = clock
    file = Locked(File(descriptor: descriptor))
  }

  /// Writes down the access of a request that ended, unless it was cancelled.
  public func requestFinished(_ trace: LoadTrace) {
    if let line = AccessLine(trace, at: clock()) { append(line) }
  }

  /// Writes down an access that no pipeline told of, such as one to a thumbnail made of bytes at hand.
  public func record(_ key: String, byteCount: Int) {
    append(AccessLine(time: clock(), key: key, byteCount: byteCount))
  }

  /// Writes what was gathered and closes the file; what is recorded later is dropped.
  ///
  /// - Throws: ``ImageError`` with code `storeFailed` when lines were lost, now or before.
  public func finish() throws(ImageError) {
    let failure = file.withLock { file in
      write(&file)
      if file.descriptor >= 0 { close(file.descriptor) }
      file.descriptor = -1
      return file.failure
    }
    if let failure { throw failure }
  }

  deinit {
    do throws(ImageError) { try finish() } catch { /* Nobody is left to be told. */  }
  }

  private func append(_ line: AccessLine) {
    let text = Array("\(line)\n".utf8)
    file.withLock { file in
      guard file.descriptor >= 0, file.failure == nil else { return }
      file.lines += text
      let age = line.time.timeIntervalSince(file.lastWrite)
      if file.lines.count >= Self.roomForLines || !(0..<1).contains(age) {
        write(&file)
        file.lastWrite = line.time
      }
    }
  }

  /// So many bytes are gathered at most: a file open for appending takes them in one piece.
  private static let roomForLines = 1 << 14

  private func write(_ file: inout File) {
    guard file.descriptor >= 0 else { return }
    var written = 0
    while written < file.lines.count, file.failure == nil {
      let count = file.lines.withUnsafeBytes { bytes in
        let rest = bytes[written...]
        #if canImport(Glibc)
          return Glibc.write(
            file.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        #else
          return Darwin.write(
            file.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
        #endif
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        file.failure = Self.unwritable(path)
      }
    }
    file.lines.removeAll(keepingCapacity: true)
  }

  /// Cuts off what stands behind the last line end. Who records holds the file with others; who is alone may cut.
  private static func cutTornLine(_ descriptor: Int32) {
    defer { _ = flock(descriptor, LOCK_SH | LOCK_NB) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
    else { return }
    let length = Int(status.st_size)
    var tail = [UInt8](repeating: 0, count: min(length, 1 << 20))
    guard pread(descriptor, &tail, tail.count, off_t(length - tail.count)) == tail.count,
      tail.last != UInt8(ascii: "\n")
    else { return }
    // No line is as long as what was looked at.
    guard let end = tail.lastIndex(of: UInt8(ascii: "\n")) ?? (tail.count == length ? -1 : nil)
    else { return }
    _ = ftruncate(descriptor, off_t(length - tail.count + end + 1))
  }

  private static func unwritable(_ path: String) -> ImageError {
    ImageError(.storeFailed, "cannot write the trace \(path)", errno: errno)
  }
}
