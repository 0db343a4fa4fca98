public import CachePolicies
public import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// Appends the accesses of a pipeline to a cache trace, a file that `imgcache simulate` reads; see
/// `CacheTraceLine`.
///
///     let recorder = try CacheTraceRecorder(path: "trace.csv")
///     configuration.observers.append(recorder)
///     …
///     try recorder.finish()
///
/// Lines are gathered and written whole, many in one call, so that a hit in memory stays fast and
/// several processes can share a file. A killed process loses the lines of its last second; a torn
/// line that it left is cut off by the next process that records, unless others are recording.
public final class CacheTraceRecorder: PipelineObserver {
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
  /// - Parameters:
  ///   - path: The file, empty or a trace of a recorder.
  ///   - clock: The time now. Default: the system's clock.
  /// - Throws: `ImageError` with code `storeFailed`, or `invalidArgument` for a file that is not a
  ///   trace, and for a path that is empty or begins with `~`, which only a shell expands.
  public init(path: String, clock: @escaping @Sendable () -> Date = { Date() }) throws(ImageError) {
    try ImageError.check(path, of: "the path of the trace", .invalidArgument)
    var descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    // A pipe is write-only, and a file may be.
    if descriptor < 0 { descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC) }
    guard descriptor >= 0 else { throw Self.unwritable(path) }
    do throws(ImageError) {
      try Self.cutTornLine(descriptor, path)
    } catch {
      close(descriptor)
      throw error
    }
    self.path = path
    self.clock = clock
    file = Locked(File(descriptor: descriptor))
  }

  /// Checks that a recorder would append to a file, or create it where there is none; the file is
  /// left as it is.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for a file that is not a trace. Whether it
  ///   can be written is not examined.
  public static func check(path: String) throws(ImageError) {
    try ImageError.check(path, of: "the path of the trace", .invalidArgument)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    _ = try tail(of: descriptor, path)
  }

  /// Records the access of a request that ended, unless it was cancelled or for a document.
  public func requestFinished(_ report: LoadReport) {
    if let line = CacheTraceLine(report, at: clock()) { append(line) }
  }

  /// Records an access that no pipeline reports, such as one to a thumbnail made from bytes in
  /// memory.
  public func record(_ key: String, byteCount: Int) {
    append(CacheTraceLine(time: clock(), key: key, byteCount: byteCount))
  }

  /// Writes the gathered lines and closes the file; later accesses are dropped.
  ///
  /// - Throws: `ImageError` with code `storeFailed` when lines were lost, now or before.
  public func finish() throws(ImageError) {
    let failure = file.withLock { file in
      flush(&file)
      if file.descriptor >= 0 { close(file.descriptor) }
      file.descriptor = -1
      return file.failure
    }
    if let failure { throw failure }
  }

  deinit {
    do throws(ImageError) { try finish() } catch { /* No caller is left to receive it. */  }
  }

  private func append(_ line: CacheTraceLine) {
    let text = Array("\(line)\n".utf8)
    file.withLock { file in
      guard file.descriptor >= 0, file.failure == nil else { return }
      file.lines += text
      let age = line.time.timeIntervalSince(file.lastWrite)
      if file.lines.count >= Self.roomForLines || !(0..<1).contains(age) {
        flush(&file)
        file.lastWrite = line.time
      }
    }
  }

  /// The most bytes to gather: a file open for appending takes them in one piece.
  private static let roomForLines = 1 << 14

  private func flush(_ file: inout File) {
    guard file.descriptor >= 0 else { return }
    var written = 0
    while written < file.lines.count, file.failure == nil {
      let count = file.lines.withUnsafeBytes { bytes in
        let rest = bytes[written...]
        return write(
          file.descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        file.failure = Self.unwritable(path)
      }
    }
    file.lines.removeAll(keepingCapacity: true)
  }

  /// Cuts off a torn line at the end of a file. Recorders hold a shared lock on the file; only one
  /// that is alone gets the exclusive lock for cutting.
  private static func cutTornLine(_ descriptor: Int32, _ path: String) throws(ImageError) {
    defer { _ = flock(descriptor, LOCK_SH | LOCK_NB) }
    let isAlone = flock(descriptor, LOCK_EX | LOCK_NB) == 0
    // What cannot be read back is not cut either.
    guard fcntl(descriptor, F_GETFL) & O_ACCMODE == O_RDWR,
      let tail = try tail(of: descriptor, path), tail.tornByteCount > 0, isAlone
    else { return }
    _ = ftruncate(descriptor, off_t(tail.fileByteCount - tail.tornByteCount))
  }

  /// Measures a file and the torn line at its end; `nil` for an empty file, a pipe or a device.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` unless the last line that is whole is one of
  ///   a trace.
  private static func tail(
    of descriptor: Int32, _ path: String
  ) throws(ImageError) -> (fileByteCount: Int, tornByteCount: Int)? {
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
    else { return nil }
    let length = Int(status.st_size)
    // No two lines are as long as the part examined.
    var tail = [UInt8](repeating: 0, count: min(length, 1 << 20))
    guard pread(descriptor, &tail, tail.count, off_t(length - tail.count)) == tail.count else {
      throw unwritable(path)
    }
    let lineEnd = UInt8(ascii: "\n")
    guard let end = tail.lastIndex(of: lineEnd),
      isTraceLine(tail[(tail[..<end].lastIndex(of: lineEnd).map { $0 + 1 } ?? 0)..<end])
    else {
      throw ImageError(
        .invalidArgument, "\(path) is not a cache trace, and is left as it is; name another file")
    }
    return (length, tail.count - end - 1)
  }

  private static func isTraceLine(_ line: ArraySlice<UInt8>) -> Bool {
    func isNumber(_ text: Substring) -> Bool { HTTPText.clampedNumber(text) != nil }
    let line = String(decoding: line, as: UTF8.self)
    let fields = line.split(separator: ",", omittingEmptySubsequences: false)
    guard fields.count == 3 else { return false }
    let digits = fields[0].hasPrefix("-") ? fields[0].dropFirst() : fields[0]
    let time = digits.split(separator: ".", omittingEmptySubsequences: false)
    return line == "time,key,size"
      || time.count == 2 && time.allSatisfy(isNumber) && time[1].utf8.count == 3
        && !fields[1].isEmpty && isNumber(fields[2])
  }

  private static func unwritable(_ path: String) -> ImageError {
    ImageError(.storeFailed, "cannot write the trace \(path)", errno: errno)
  }
}

extension CacheTraceLine {
  /// Creates the line of a request that ended at `time`; `nil` for one that was cancelled, and for
  /// a document.
  ///
  /// An original is keyed by its URL; a thumbnail or an image, whose size is that of its pixels, by
  /// the URL, `#` and what was made of it, see `key(of:variant:)`.
  public init?(_ report: LoadReport, at time: Date) {
    if report.isDocument { return nil }
    switch report.result {
    case .success(let ending):
      self.init(
        time: time, key: Self.key(of: report.request.url, variant: ending.variant),
        byteCount: ending.byteCount)
    case .failure:
      if report.wasCancelled { return nil }
      self.init(time: time, key: report.request.url, byteCount: 0)
    }
  }
}
