import Dispatch
import ImageModel
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A file that lines are appended to on another thread, so that logging never waits for a disk.
///
/// If lines arrive faster than they are written, the surplus is dropped and counted.
final class LogFile: Sendable {
  private struct State {
    var waiting: [String] = []
    var droppedCount = 0
    var isWriting = false
  }
  private let descriptor: Int32
  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "imgcache.log")

  private static let maximumWaiting = 10_000

  /// - Throws: ``ImageError`` with code `fileUnreadable`.
  init(path: String) throws {
    descriptor =
      path == "-"
      ? dup(STDERR_FILENO) : open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw ImageError(.fileUnreadable, "cannot write the log \(path)", errno: errno)
    }
  }

  deinit { close(descriptor) }

  /// Appends a line.
  @Sendable func line(_ text: String) {
    let starts = state.withLock { state in
      guard state.waiting.count < Self.maximumWaiting else {
        state.droppedCount += 1
        return false
      }
      state.waiting.append(text)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if starts { queue.async { [self] in drain() } }
  }

  private func drain() {
    while true {
      let (lines, dropped) = state.withLock { state in
        defer {
          state.waiting = []
          state.droppedCount = 0
        }
        if state.waiting.isEmpty { state.isWriting = false }
        return (state.waiting, state.droppedCount)
      }
      if lines.isEmpty { return }
      let note = dropped > 0 ? "(\(dropped) lines were dropped)\n" : ""
      Stream.write(lines.joined(separator: "\n") + "\n" + note, to: descriptor)
    }
  }
}
