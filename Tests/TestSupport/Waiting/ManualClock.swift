import Foundation

@testable import ImageModel

/// A clock that advances only by hand.
final class ManualClock: Sendable {
  private let time: Locked<Date>

  init(_ start: Date = Date(timeIntervalSince1970: 1_592_300_000)) {
    time = Locked(start)
  }

  var now: Date { time.withLock { $0 } }

  func advance(by seconds: Double) {
    time.withLock { $0 += seconds }
  }
}

/// A manual clock of nanoseconds.
final class ManualNanoseconds: Sendable {
  private let time = Locked<UInt64>(0)

  var now: UInt64 { time.withLock { $0 } }

  func advance(by duration: Duration) {
    time.withLock { $0 += UInt64(clamping: duration.nanoseconds) }
  }
}
