import Foundation

@testable import ImageModel

/// A thread that does the same again and again until it is stopped.
final class RepeatingThread: Sendable {
  private let (isDone, ended) = (Locked(false), DispatchSemaphore(value: 0))

  init(_ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [isDone, ended] in
      while !isDone.withLock({ $0 }) { body() }
      ended.signal()
    }
  }

  func stop() {
    isDone.withLock { $0 = true }
    ended.wait()
  }
}
