import ArgumentParser
import Dispatch
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// SIGINT and SIGTERM: the work is cancelled and may finish its writes; a second signal ends the process.
enum Interruption {
  private static let received = Mutex<Int32?>(nil)

  /// 130 or 143 once a signal has come.
  static var exitCode: ExitCode? {
    received.withLock { $0.map { ExitCode(128 + $0) } }
  }

  /// Runs `operation` so that the first signal cancels it.
  static func whileHandled<Result: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await operation() }
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        let isSecond = received.withLock { current in
          defer { current = current ?? number }
          return current != nil
        }
        if isSecond { _exit(128 + number) }
        task.cancel()
      }
      source.resume()
      return source
    }
    defer { sources.forEach { $0.cancel() } }
    return try await task.value
  }
}
