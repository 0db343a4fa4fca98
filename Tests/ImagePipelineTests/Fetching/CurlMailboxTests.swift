import ImageModel
import Testing

@testable import ImageFetching

@Suite struct `The mailbox of a transfer thread` {
  /// What wakes it must not be wrapped once more each time, as a bare function behind a lock is in a
  /// build without optimization: the stack would end.
  @Test func `wakes it any number of times`() {
    let (mailbox, count) = (CurlMailbox(), Locked(0))
    var commands: [CurlMailbox.Command] = []
    mailbox.open { count.withLock { $0 += 1 } }
    for _ in 0..<100_000 where mailbox.beginWaiting() {
      mailbox.post(.cancel(0))
      mailbox.drain(into: &commands)
    }
    mailbox.close()

    #expect(count.withLock { $0 } == 100_000)
  }
}
