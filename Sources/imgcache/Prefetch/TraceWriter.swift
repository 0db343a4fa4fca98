import FoundationEssentials
import ImagePipeline
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Appends cache accesses to a file as `time,key,size`, the lines that `imgcache simulate` reads.
///
/// `time` is in seconds since 1970, `key` the URL (a comma in it becomes `%2C`; of a thumbnail with `#` and its recipe
/// behind), `size` the bytes of the entry; an access that found nothing has the size 0.
final class TraceWriter: Sendable {
  private let file: Mutex<Int32>

  /// Opens the file for appending, or creates it.
  ///
  /// - Throws: ``ImageError`` with code `fileUnreadable`.
  init(path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw ImageError(
        .fileUnreadable, "cannot write the trace \(path): \(String(cString: strerror(errno)))")
    }
    file = Mutex(descriptor)
  }

  /// Writes one line in one go, so that several processes can share a file.
  func record(url: String, byteCount: Int, at time: Date) {
    let key = url.replacing(",", with: "%2C")
    let milliseconds = Int(time.timeIntervalSince1970 * 1000)
    let fraction = String(milliseconds % 1000 + 1000).dropFirst()
    file.withLock { descriptor in
      guard descriptor >= 0 else { return }
      Report.write("\(milliseconds / 1000).\(fraction),\(key),\(byteCount)\n", to: descriptor)
    }
  }

  /// Closes the file; later records are dropped.
  func finish() {
    file.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  deinit { finish() }
}
