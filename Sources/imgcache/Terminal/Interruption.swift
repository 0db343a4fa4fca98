import ArgumentParser
import CPlatform
import Dispatch
import Synchronization

/// SIGINT, SIGTERM, SIGQUIT and SIGHUP: the work is cancelled and may finish its writes; a second
/// signal ends the process, as does the first if there is nothing to finish. A closed pipe is
/// noticed by the write that fails (see ``Stream``). In all cases the terminal is restored.
enum Interruption {
  private static let received = Mutex<Int32?>(nil)

  /// 128 and the signal, such as 130 or 143, once one has come.
  static var exitCode: ExitCode? { received.withLock { $0.map { ExitCode(128 + $0) } } }

  private static let expendable = Mutex(0)

  /// Makes SIGINT and SIGTERM end the process with exit code 130 or 143 unless they are handled: a
  /// process that a signal ends has no exit code of its own. Makes a write into a closed pipe fail,
  /// instead of ending the process before the terminal is restored.
  static func setDefaults() {
    for number in [SIGINT, SIGTERM] { _ = imgc_signals_end(number) }
    signal(SIGPIPE, SIG_IGN)
  }

  /// Runs what has nothing to finish and may wait for input: the first signal ends the process.
  static func whileExpendable<Result, Failure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    expendable.withLock { $0 += 1 }
    defer { expendable.withLock { $0 -= 1 } }
    return try body()
  }

  /// Runs `operation` so that the first signal cancels it, or ends the process if there is nothing
  /// to finish; SIGHUP reloads instead.
  static func whileHandled<Result: Sendable>(
    isExpendable: Bool = false, reloading reload: (@Sendable () -> Void)? = nil,
    _ operation: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    // The handlers are in effect before the operation starts: a server that says that it is ready
    // may get a signal at once.
    let (start, starter) = AsyncStream<Never>.makeStream()
    let task = Task {
      for await _ in start {}
      return try await operation()
    }
    // A program that is started under nohup outlives its terminal.
    var numbers = [SIGINT, SIGTERM] + [SIGQUIT, SIGHUP].filter { !isIgnored($0) }
    if let reload {
      numbers.removeAll { $0 == SIGHUP }
      Signals.handle(SIGHUP, reload)
    }
    for number in numbers {
      Signals.handle(number) {
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
    defer { numbers.forEach(Signals.release) }
    starter.finish()
    return try await task.value
  }

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

  /// Removes what was drawn and restores the terminal, unless that takes long: its output may be
  /// held by Ctrl-S. On another thread, as the caller may hold the locks of the drawing.
  static func leaveTerminal() {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue(label: "imgcache.leaving").async {
      TerminalState.shared.release()
      done.signal()
      StatusLine.shared.suspend()
      done.signal()
    }
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
