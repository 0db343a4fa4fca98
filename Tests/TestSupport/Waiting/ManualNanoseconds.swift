@testable import ImageModel

/// A manual clock of nanoseconds.
final class ManualNanoseconds: Sendable {
  private let time = Locked<UInt64>(0)

  var now: UInt64 { time.withLock { $0 } }

  func advance(by duration: Duration) {
    time.withLock { $0 += UInt64(clamping: duration.nanoseconds) }
  }
}
