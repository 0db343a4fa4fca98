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
  private var readByteCount = 0
  /// How the client reads what waits for it.
  private var reading = Pace()
  /// Whether the body of the request is still to come, and the client does not wait for 100.
  var isReceiving = false
  private var heardByteCount = 0
  private var sending = Pace()

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
      reading = Pace()
      return false
    }
    // A client that still reads the last response is not idle yet.
    if phase == .idle { phaseBegan = now }
    let time = TimeAmount(limits.writeTime)
    return reading.isBelow(limits.minimumByteRate, over: time, newByteCount, at: now)
  }

  private mutating func isTooSlowSending(_ isReading: Bool, _ now: NIODeadline) -> Bool {
    defer { heardByteCount = 0 }
    guard isReceiving, isReading else {
      sending = Pace()
      return false
    }
    let time = TimeAmount(limits.idleTime)
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
  private var silentSince: NIODeadline?

  /// Adds the bytes since the last call, and returns whether there were none for longer than a
  /// period, or a period is over in which there were too few.
  mutating func isBelow(
    _ rate: Int, over period: TimeAmount, _ newByteCount: Int, at now: NIODeadline
  ) -> Bool {
    if newByteCount > 0 { silentSince = now }
    guard let began, let silentSince else {
      (began, silentSince) = (now, now)
      return false
    }
    if now - silentSince > period { return true }
    byteCount += max(0, newByteCount)
    guard now - began > period else { return false }
    defer { (self.began, byteCount) = (now, 0) }
    return Double(byteCount) < Double(rate) * Double(period.nanoseconds) / 1e9
  }
}
