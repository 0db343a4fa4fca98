import CPlatform
import Dispatch
import Synchronization

/// Handlers of signals, in effect as soon as ``handle(_:_:)`` returns: a source of libdispatch
/// begins to listen some time after it was resumed, and a signal before that is lost, or ends the
/// process.
enum Signals {
  private static let handlers = Mutex<[Int32: @Sendable () -> Void]>([:])
  /// Reads what the C handlers write; there is one for the life of the process.
  private static let reader: DispatchQueue? = {
    let pipe = imgc_signals_open()
    guard pipe >= 0 else { return nil }
    let queue = DispatchQueue(label: "imgcache.signals")
    queue.async {
      var number: UInt8 = 0
      while true {
        let count = read(pipe, &number, 1)
        guard count == 1 else {
          guard count < 0, errno == EINTR else { return }
          continue
        }
        guard let body = handlers.withLock({ $0[Int32(number)] }) else { continue }
        // Concurrently: a handler may wait for a terminal whose output is held.
        DispatchQueue.global().async(execute: body)
      }
    }
    return queue
  }()

  /// Runs `body` at each signal, on a thread that may block, in place of the default action.
  static func handle(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
    guard reader != nil else { return }
    handlers.withLock { $0[number] = body }
    _ = imgc_signals_hear(number)
  }

  /// From now on the signal ends the process.
  static func release(_ number: Int32) {
    handlers.withLock { $0[number] = nil }
    if [SIGINT, SIGTERM].contains(number) {
      _ = imgc_signals_end(number)
    } else {
      signal(number, SIG_DFL)
    }
  }
}
