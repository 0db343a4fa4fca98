import ArgumentParser
import CPlatform
import Dispatch
import ImagePipeline
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// SIGINT, SIGTERM, SIGQUIT and SIGHUP: the work is cancelled and may finish its writes; a second
/// signal ends the process, as does the first where there is nothing to finish. SIGPIPE is told by
/// the write that failed (see ``Report``), after which there is nobody to write for. Whichever it
/// is, the terminal is given back.
enum Interruption {
  private static let received = Mutex<Int32?>(nil)

  /// 128 and the signal, such as 130 or 143, once one has come.
  static var exitCode: ExitCode? {
    received.withLock { $0.map { ExitCode(128 + $0) } }
  }

  /// Whoever is doing what may break off at any instant.
  private static let expendable = Mutex(0)

  /// Has SIGINT and SIGTERM end the process at once where nothing else is done about them, with
  /// exit code 130 or 143: a process that a signal ends has no exit code of its own.
  static func endByDefault() {
    for number in [SIGINT, SIGTERM] { _ = imgc_signals_end(number) }
  }

  /// Runs what has nothing to finish and may take long or wait for input, so that the first signal
  /// ends the process.
  static func whileExpendable<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    expendable.withLock { $0 += 1 }
    defer { expendable.withLock { $0 -= 1 } }
    return try body()
  }

  /// Runs `operation` so that the first signal cancels it.
  ///
  /// - Parameter isExpendable: Whether the first signal ends the process: there is nothing to
  ///   finish. Default: no.
  static func whileHandled<Result: Sendable>(
    isExpendable: Bool = false, _ operation: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    let task = Task { try await operation() }
    // Who starts a program under nohup wants it to outlive its terminal.
    let numbers = [SIGINT, SIGTERM] + [SIGQUIT, SIGHUP].filter { !isIgnored($0) }
    for number in numbers {
      Signals.hear(number) {
        let isSecond = received.withLock { current in
          defer { current = current ?? number }
          return current != nil
        }
        if isSecond || isExpendable || expendable.withLock({ $0 > 0 }) {
          leaveTerminal()
          _exit(128 + number)
        }
        task.cancel()
      }
    }
    defer { numbers.forEach(Signals.ignore) }
    return try await task.value
  }

  /// Has a write into a pipe that nobody reads fail, instead of ending the process with the
  /// terminal taken.
  static func toldOfBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  /// Ends the process as SIGPIPE does by itself, with the terminal given back.
  static func endByBrokenPipe() -> Never {
    leaveTerminal()
    signal(SIGPIPE, SIG_DFL)
    var pipe = sigset_t()
    sigemptyset(&pipe)
    sigaddset(&pipe, SIGPIPE)
    pthread_sigmask(SIG_UNBLOCK, &pipe, nil)
    raise(SIGPIPE)
    _exit(128 + SIGPIPE)
  }

  /// Takes what was drawn away and puts the terminal's state back, unless that takes long: somebody
  /// may hold its output with Ctrl-S. On a thread of its own, as the caller may be in the midst of
  /// drawing.
  static func leaveTerminal() {
    let done = DispatchSemaphore(value: 0)
    let thread = try? OSThread(name: "leaving") {
      TerminalState.shared.release()
      done.signal()
      StatusLine.shared.suspend()
      done.signal()
    }
    guard thread != nil else { return TerminalState.shared.release() }
    let end = DispatchTime.now() + 2
    for _ in 0..<2 { _ = done.wait(timeout: end) }
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var current = sigaction()
    sigaction(number, nil, &current)
    #if canImport(Glibc)
      let handler = current.__sigaction_handler.sa_handler
    #else
      let handler = current.__sigaction_u.__sa_handler
    #endif
    return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
