@testable import ImageModel

/// A clock of nanoseconds that is turned by hand.
final class ManualNanoseconds: Sendable {
  private let time = Locked<UInt64>(0)

  var now: UInt64 { time.withLock { $0 } }

  func advance(by duration: Duration) {
    time.withLock { $0 += UInt64(clamping: duration.nanoseconds) }
  }
}
