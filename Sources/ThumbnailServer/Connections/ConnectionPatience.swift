import NIOCore

/// How long a client may still take over what it does: a head that trickles in, a body that stalls,
/// an answer that is not taken, nothing at all.
struct ConnectionPatience {
  private enum Phase {
    case idle, readingHead, working
  }
  private let limits: ConnectionLimits
  private var phase = Phase.idle
  private var phaseBegan: NIODeadline
  /// What waited for the client when it was last looked at.
  private var waitingByteCount = 0
  /// Since when the client has taken nothing of what waits for it; `nil` where nothing waits.
  private var stalledSince: NIODeadline?
  /// Whether the body of the request is still to come, and the client was not told to wait with it.
  var isReceiving = false
  private var hasHeard = false
  /// Since when nothing has come of the body.
  private var silentSince: NIODeadline?

  /// For a connection that is opened now.
  init(_ limits: ConnectionLimits, at now: NIODeadline) {
    self.limits = limits
    phaseBegan = now
  }

  /// Whether nothing of a request has come, and the one before has its answer.
  var isIdle: Bool { phase == .idle }
  /// Whether a request is in progress.
  var isWorking: Bool { phase == .working }

  /// The first bytes of a request have come.
  mutating func headBegan(at now: NIODeadline) { enter(.readingHead, now) }
  /// The head of a request is whole.
  mutating func requestBegan(at now: NIODeadline) { enter(.working, now) }
  /// Its answer is written, which does not say that the client has it.
  mutating func requestEnded(at now: NIODeadline) { enter(.idle, now) }

  /// Bytes have come.
  mutating func heard() { hasHeard = true }

  private mutating func enter(_ phase: Phase, _ now: NIODeadline) {
    self.phase = phase
    phaseBegan = now
  }

  /// The client has taken enough for more to be written: what is written then would hide it from
  /// the next look.
  mutating func roomWasMade() { stalledSince = nil }

  /// Looks at what goes on; meant to be asked once a second.
  ///
  /// - Parameters:
  ///   - byteCount: Bytes of answers that wait for the client.
  ///   - isReading: Whether bytes of the client would be taken. Default: no.
  /// - Returns: Whether the client has taken too long.
  mutating func isOver(
    waiting byteCount: Int, isReading: Bool = false, at now: NIODeadline
  ) -> Bool {
    if byteCount == 0 {
      stalledSince = nil
    } else {
      if stalledSince == nil || byteCount < waitingByteCount { stalledSince = now }
      // A client that still takes the last answer is not idle yet.
      if phase == .idle { phaseBegan = now }
    }
    waitingByteCount = byteCount
    if let stalledSince, now - stalledSince > TimeAmount(limits.writeTime) { return true }
    if isReceiving, isReading, !hasHeard {
      silentSince = silentSince ?? now
    } else {
      silentSince = nil
    }
    hasHeard = false
    if let silentSince, now - silentSince > TimeAmount(limits.idleTime) { return true }
    return switch phase {
    case .idle: now - phaseBegan > TimeAmount(limits.idleTime)
    case .readingHead: now - phaseBegan > TimeAmount(limits.headTime)
    case .working: false
    }
  }
}
