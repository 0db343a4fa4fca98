import NIOCore
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `Connection timeouts` {
  /// Advances one second at a time, with these bytes waiting.
  ///
  /// - Returns: The second of the timeout; `nil` if it never fires.
  private func end(
    _ patience: inout ConnectionPatience, seconds: ClosedRange<UInt64>,
    waiting: (UInt64) -> Int = { _ in 0 }
  ) -> UInt64? {
    seconds.first { patience.isOver(waiting: waiting($0), at: at($0)) }
  }

  private func at(_ second: UInt64) -> NIODeadline { .uptimeNanoseconds(second * 1_000_000_000) }

  private var fresh: ConnectionPatience { ConnectionPatience(ConnectionLimits(), at: at(100)) }

  @Test func `a connection ends 75 seconds idle, and 10 after the begin of an incomplete head`() {
    var (idle, begun) = (fresh, fresh)
    begun.headBegan(at: at(120))

    #expect(idle.isIdle && !begun.isIdle)
    #expect(end(&idle, seconds: 101...300) == 176)
    #expect(end(&begun, seconds: 121...300) == 131)
  }

  @Test func `the timeout is suspended while a response is made, and restarts with it`() {
    var patience = fresh
    patience.headBegan(at: at(100))
    patience.requestBegan(at: at(101))
    #expect(end(&patience, seconds: 102...5000) == nil)

    patience.requestEnded(at: at(5000))

    #expect(end(&patience, seconds: 5001...6000) == 5076)
  }

  /// A connection whose response was made at once.
  private var answered: ConnectionPatience {
    var patience = fresh
    patience.requestBegan(at: at(100))
    patience.requestEnded(at: at(100))
    return patience
  }

  @Test(arguments: [1, 20_000, 1 << 20])
  func `a connection ends when the client reads nothing for 30 seconds`(byteCount: Int) {
    var patience = answered

    #expect(end(&patience, seconds: 101...300, waiting: { _ in byteCount }) == 132)
  }

  @Test func `a client that keeps reading has no deadline, and is idle only after the last byte`() {
    var patience = answered

    // 5 kB a second takes 210 seconds: longer than the idle timeout, too.
    let whileTaking = end(
      &patience, seconds: 101...309, waiting: { max(0, 1 << 20 - 5000 * Int($0 - 100)) })

    #expect(whileTaking == nil)
    #expect(end(&patience, seconds: 310...500) == 385)
  }

  @Test(arguments: [(1000, 132), (14_000, 132), (17_000, nil)])
  func `a client that reads something every 30 seconds is cut off below 500 bytes a second`(
    byteCount: Int, expected: UInt64?
  ) {
    var patience = answered

    let reached = end(
      &patience, seconds: 101...700, waiting: { 1_000_000 - byteCount * Int($0 / 30) })
    #expect(reached == expected)
  }

  @Test func `a client that becomes slow is cut off after the period that began then`() {
    var patience = fresh

    patience.requestBegan(at: at(100))
    let whileFast = end(&patience, seconds: 101...200, waiting: { 1_000_000 - 1000 * Int($0) })
    let end = end(&patience, seconds: 201...400, waiting: { 800_000 - 10 * Int($0) })

    #expect(whileFast == nil)
    #expect(end.map { (202...262).contains($0) } == true)
  }

  @Test func `later writes do not hide that the client has read`() {
    var patience = fresh
    var isOver = false

    // After each read as much is written again, so each check sees the same count.
    patience.requestBegan(at: at(100))
    for second in 101...400 as ClosedRange<UInt64> {
      if second % 20 == 0 { patience.wrote(20_000) }
      isOver = isOver || patience.isOver(waiting: 65_536, at: at(second))
    }

    #expect(!isOver)
    #expect(end(&patience, seconds: 401...500, waiting: { _ in 65_536 }) == 431)
  }

  @Test func `a later write does not count as read`() {
    var patience = fresh

    patience.requestBegan(at: at(100))

    #expect(end(&patience, seconds: 101...300, waiting: { 1000 * Int($0) }) == 132)
  }

  @Test(arguments: [(0, 177), (1, 177), (30_000, 177), (40_000, nil)])
  func `a request body of less than 500 bytes a second ends the connection after 75 seconds`(
    byteCount: Int, expected: UInt64?
  ) {
    var patience = fresh
    patience.requestBegan(at: at(100))
    patience.isReceiving = true

    var end: UInt64?
    for second in UInt64(101)...1000 {
      if second % 70 == 0 { patience.heard(byteCount) }
      if patience.isOver(waiting: 0, isReading: true, at: at(second)) { end = end ?? second }
    }

    #expect(end == expected)
  }

  @Test func `a body that the server does not read, or held back until 100, does not end it`() {
    var (unread, expecting) = (fresh, fresh)
    unread.requestBegan(at: at(100))
    unread.isReceiving = true
    expecting.requestBegan(at: at(100))

    var hasEnded = false
    for second in UInt64(101)...1000 {
      hasEnded = unread.isOver(waiting: 0, at: at(second)) || hasEnded
      hasEnded = expecting.isOver(waiting: 0, isReading: true, at: at(second)) || hasEnded
    }

    #expect(!hasEnded)
  }
}
