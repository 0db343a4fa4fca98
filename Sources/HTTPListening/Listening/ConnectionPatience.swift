import NIOCore

/// The timeouts of one connection, as a state machine without a clock: a head that trickles in, a
/// body that stalls, a response that is not read, an idle connection.
struct ConnectionPatience {
  private enum Phase {
    case idle, readingHead, working
  }
  private let limits: ConnectionLimits
  private var phase = Phase.idle
  private var phaseBegan: NIODeadline
  private var writtenByteCount = 0
  /// Bytes that the client had taken at the last check.
  private var readByteCount = 0
  private var reading = Pace()
  /// Since when the client has read nothing of what waits for it; `nil` if nothing waits.
  private var stalledSince: NIODeadline?
  /// Whether the body of the request is still to come, and the client does not wait for 100.
  var isReceiving = false
  private var heardByteCount = 0
  private var sending = Pace()
  /// Since when no byte of the body has arrived.
  private var silentSince: NIODeadline?

  init(_ limits: ConnectionLimits, at now: NIODeadline) {
    self.limits = limits
    phaseBegan = now
  }

  /// Whether no byte of a request has arrived and the previous request has its response.
  var isIdle: Bool { phase == .idle }
  var isWorking: Bool { phase == .working }

  mutating func headBegan(at now: NIODeadline) { enter(.readingHead, now) }
  mutating func requestBegan(at now: NIODeadline) { enter(.working, now) }
  /// Notes that its response is written, which does not mean that the client has read it.
  mutating func requestEnded(at now: NIODeadline) { enter(.idle, now) }

  mutating func heard(_ byteCount: Int) { heardByteCount += byteCount }
  /// Notes that bytes are written: what the client takes is known by what still waits for it.
  mutating func wrote(_ byteCount: Int) { writtenByteCount += byteCount }

  private mutating func enter(_ phase: Phase, _ now: NIODeadline) {
    self.phase = phase
    phaseBegan = now
  }

  /// Returns whether a timeout has passed, where so many bytes wait for the client and its own
  /// would be read; meant to be called once a second.
  mutating func isOver(
    waiting byteCount: Int, isReading: Bool = false, at now: NIODeadline
  ) -> Bool {
    isTooSlowReading(byteCount, now) || isTooSlowSending(isReading, now) || isPhaseOver(now)
  }

  private mutating func isTooSlowReading(_ waiting: Int, _ now: NIODeadline) -> Bool {
    let newByteCount = writtenByteCount - waiting - readByteCount
    readByteCount += newByteCount
    guard waiting > 0 else {
      stalledSince = nil
      reading = Pace()
      return false
    }
    if stalledSince == nil || newByteCount > 0 { stalledSince = now }
    // A client that still reads the last response is not idle yet.
    if phase == .idle { phaseBegan = now }
    let time = TimeAmount(limits.writeTime)
    if let stalledSince, now - stalledSince > time { return true }
    return reading.isBelow(limits.minimumByteRate, over: time, newByteCount, at: now)
  }

  private mutating func isTooSlowSending(_ isReading: Bool, _ now: NIODeadline) -> Bool {
    defer { heardByteCount = 0 }
    guard isReceiving, isReading else {
      silentSince = nil
      sending = Pace()
      return false
    }
    if silentSince == nil || heardByteCount > 0 { silentSince = now }
    let time = TimeAmount(limits.idleTime)
    if let silentSince, now - silentSince > time { return true }
    return sending.isBelow(limits.minimumByteRate, over: time, heardByteCount, at: now)
  }

  private func isPhaseOver(_ now: NIODeadline) -> Bool {
    switch phase {
    case .idle: now - phaseBegan > TimeAmount(limits.idleTime)
    case .readingHead: now - phaseBegan > TimeAmount(limits.headTime)
    case .working: false
    }
  }
}

/// The progress of a client while it alone is waited for, one period after the other.
private struct Pace {
  private var began: NIODeadline?
  private var byteCount = 0

  /// Adds the bytes since the last call, and returns whether a period is over in which there were
  /// too few.
  mutating func isBelow(
    _ rate: Int, over period: TimeAmount, _ newByteCount: Int, at now: NIODeadline
  ) -> Bool {
    guard let began else {
      began = now
      return false
    }
    byteCount += max(0, newByteCount)
    guard now - began > period else { return false }
    defer { (self.began, byteCount) = (now, 0) }
    return Double(byteCount) < Double(rate) * Double(period.nanoseconds) / 1e9
  }
}
