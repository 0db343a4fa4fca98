@testable import SampleFeed

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension LoopbackServer {
  /// For example `http://127.0.0.1:40123`, without a slash at the end.
  var origin: String { "http://127.0.0.1:\(port)" }
}

extension LoopbackConnection {
  /// Sends text as UTF-8.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Waits until the client closes its side; what it sends meanwhile is dropped.
  func waitForClose() {
    var dropped: [UInt8] = []
    while receive(into: &dropped) { dropped.removeAll(keepingCapacity: true) }
  }

  /// Ends the connection so that the client sees a reset (RST), not an orderly end.
  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(
      socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    close()
  }
}
