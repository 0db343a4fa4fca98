import CPlatform
import Dispatch
import ImagePipeline
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Signals that the process hears of, from the very moment that ``hear(_:_:)`` returns: a source of libdispatch begins
/// to listen some time after it was resumed, and what comes before that is lost, or ends the process.
enum Signals {
  private static let handlers = Mutex<[Int32: @Sendable () -> Void]>([:])
  /// Reads what the handlers write; there is one for the life of the process.
  private static let reader: OSThread? = {
    let pipe = imgc_signals_open()
    guard pipe >= 0 else { return nil }
    return try? OSThread(name: "signals") {
      var number: UInt8 = 0
      while true {
        let count = read(pipe, &number, 1)
        guard count == 1 else {
          guard count < 0, errno == EINTR else { return }
          continue
        }
        guard let body = handlers.withLock({ $0[Int32(number)] }) else { continue }
        // Each by itself: one may wait for a terminal whose output is held.
        DispatchQueue.global().async(execute: body)
      }
    }
  }()

  /// Runs `body` at each signal of a number, on a thread that may wait, instead of what the signal does by itself.
  static func hear(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
    guard reader != nil else { return }
    handlers.withLock { $0[number] = body }
    _ = imgc_signals_hear(number)
  }

  /// Hears of signals of a number no more; they do nothing from now on.
  static func ignore(_ number: Int32) { handlers.withLock { $0[number] = nil } }
}
