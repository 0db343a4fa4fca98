import Dispatch
import ImageModel
import Synchronization

/// A file that lines are appended to on another thread, so that logging never waits for a disk. If
/// lines arrive faster than they are written, the surplus is dropped and counted.
final class LogFile: Sendable {
  private struct State {
    var waiting: [String] = []
    var droppedCount = 0
    var isWriting = false
    var path: String
    var descriptor: Int32
  }
  private let state: Mutex<State>
  private let queue = DispatchQueue(label: "imgcache.log")

  private static let maximumWaiting = 10_000

  init(path: String) throws { state = Mutex(State(path: path, descriptor: try Self.open(path))) }

  deinit { close(state.withLock { $0.descriptor }) }

  private static func open(_ path: String) throws(ImageError) -> Int32 {
    let descriptor =
      path == "-"
      ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0)
      : openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw ImageError(.storeFailed, "cannot write the log \(path)", errno: errno)
    }
    return descriptor
  }

  /// Opens the file again, or another one, after it was moved away; lines that wait go to the
  /// former one, which stays in use after a failure.
  func reopen(at path: String? = nil) throws(ImageError) {
    let path = path ?? state.withLock { $0.path }
    let opened = try Self.open(path)
    let former = state.withLock { state in
      defer { (state.path, state.descriptor) = (path, opened) }
      return state.descriptor
    }
    // Behind the lines that are being written.
    queue.async { close(former) }
  }

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
      let (lines, dropped, descriptor) = state.withLock { state in
        defer {
          state.waiting = []
          state.droppedCount = 0
        }
        if state.waiting.isEmpty { state.isWriting = false }
        return (state.waiting, state.droppedCount, state.descriptor)
      }
      if lines.isEmpty { return }
      let note = dropped > 0 ? "(\(dropped) lines were dropped)\n" : ""
      Stream.write(lines.joined(separator: "\n") + "\n" + note, to: descriptor)
    }
  }
}
