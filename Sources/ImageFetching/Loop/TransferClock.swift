import ImageModel

/// Decides when a transfer has taken too long. Times are nanoseconds; 0 for what has not happened.
struct TransferClock: Sendable {
  enum Fault: Sendable, Hashable { case connecting, tooSlow, inAll }

  private let limits: FetchLimits
  /// The window in which too few bytes are a fault; it starts again whenever enough have moved.
  private var window = (start: Int64(0), movedByteCount: 0)

  init(limits: FetchLimits) { self.limits = limits }

  /// The limit that is exceeded by now, if any. Where a receiver or the sender of the request's
  /// body pauses the transfer, that is not the origin's fault. Bytes are those of both directions.
  mutating func check(
    now: Int64, addedAt: Int64, connectingAt: Int64, sentAt: Int64, movedByteCount: Int,
    isPaused: Bool
  ) -> Fault? {
    let startedAt = connectingAt != 0 ? connectingAt : sentAt != 0 ? sentAt : addedAt
    if now - startedAt >= limits.totalTime.nanoseconds { return .inAll }
    if sentAt == 0 {
      let isLate = connectingAt != 0 && now - connectingAt >= limits.connectTime.nanoseconds
      return isLate ? .connecting : nil
    }
    if window.start == 0 { window.start = sentAt }
    if isPaused || movedByteCount - window.movedByteCount >= limits.lowSpeedByteCount {
      window = (now, movedByteCount)
    }
    return now - window.start >= limits.lowSpeedTime.nanoseconds ? .tooSlow : nil
  }
}
