import Foundation
import Testing

@testable import ImageModel
@testable import LoadScheduling

/// A program started by a test, by `posix_spawn`: Foundation's `Process` needs a run loop to notice
/// an end.
final class ChildProcess: Sendable {
  /// `POSIX_SPAWN_SETSID`, which glibc hides behind a macro that Swift does not see.
  private static let startsSession: Int16 = 0x80

  let pid: pid_t
  private let status = Locked<Int32?>(nil)

  /// `posix_spawn_file_actions_addclosefrom_np` of glibc 2.34, which Swift does not import.
  private static let closeAllElse:
    (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32)? =
      dlsym(UnsafeMutableRawPointer(bitPattern: 0), "posix_spawn_file_actions_addclosefrom_np").map
    {
      unsafeBitCast(
        $0,
        to: (@convention(c) (UnsafeMutablePointer<posix_spawn_file_actions_t>, Int32) -> Int32).self
      )
    }

  /// - Parameters:
  ///   - environment: The whole environment of the child. Default: this process's.
  ///   - folder: Its working directory. Default: this process's.
  ///   - input: A file for its stdin. Default: nothing.
  ///   - output: A file for its stdout, truncated first. Default: dropped.
  ///   - errors: A file for its stderr, truncated first. Default: dropped.
  ///   - leadsSession: Whether it is a session of its own: the first terminal among those files
  ///     then is its terminal. Default: no.
  init(
    _ path: String, _ arguments: [String],
    environment: [String: String] = ProcessInfo.processInfo.environment, in folder: String? = nil,
    input: String = "/dev/null", output: String = "/dev/null", errors: String = "/dev/null",
    leadsSession: Bool = false
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let flags = O_WRONLY | O_CREAT | O_TRUNC
    posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, output, flags, 0o600)
    posix_spawn_file_actions_addopen(&actions, 2, errors, flags, 0o600)

    // The child must not inherit connections of other tests: their peers would see no end of file
    // before the child exits.
    _ = Self.closeAllElse?(&actions, 3)

    // A signal that this process ignores or blocks has no effect on the child.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF)
        | (leadsSession ? Self.startsSession : 0))

    let shell = ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\""]
    let command = folder.map { shell + [$0, path] } ?? [path]
    var words = (command + arguments).map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var pid = pid_t()
    let result = posix_spawnp(&pid, command[0], &actions, &attributes, &words, &variables)
    try #require(result == 0, "cannot start \(path): \(String(cString: strerror(result)))")
    self.pid = pid
  }

  /// Waits for the end on the calling thread.
  ///
  /// - Returns: The exit status, or 128 and the signal that ended it.
  @discardableResult
  func waitForEnd() -> Int32 { reaped(0) ?? 0 }

  /// How it ended, if it has; see ``waitForEnd()``.
  var endedStatus: Int32? { reaped(WNOHANG) }

  private func reaped(_ options: Int32) -> Int32? {
    status.withLock { status in
      if let status { return status }
      var (raw, ended) = (Int32(), pid_t())
      repeat { ended = waitpid(pid, &raw, options) } while ended < 0 && errno == EINTR
      guard ended == pid else { return nil }
      status = raw & 0x7F == 0 ? (raw >> 8) & 0xFF : 128 + (raw & 0x7F)
      return status
    }
  }

  /// Waits for the end without holding one of Swift's threads.
  func end() async throws -> Int32 {
    try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try OSThread(name: "child") { continuation.resume(returning: self.waitForEnd()) }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  /// Waits on the calling thread until a signal has stopped it.
  func waitUntilStopped() {
    var raw = Int32()
    while waitpid(pid, &raw, WUNTRACED) < 0, errno == EINTR {}
  }

  /// Sends a signal, unless the end was already seen.
  func signal(_ number: Int32) {
    if status.withLock({ $0 == nil }) { kill(pid, number) }
  }

  func stop() {
    signal(SIGTERM)
    waitForEnd()
  }

  deinit {
    signal(SIGKILL)
    waitForEnd()
  }
}
