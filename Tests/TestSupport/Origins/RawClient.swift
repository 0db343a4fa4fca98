import Foundation

@testable import ImageModel

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A bare TCP client for tests of servers: sends bytes and reads to the end.
final class RawClient: Sendable {
  private let socket: Int32

  /// - Parameter isNarrow: Whether it takes little at a time, so that little of an answer is on its
  ///   way: a few kilobytes wait in this system, and the rest in the server. Default: no.
  init(port: UInt16, isNarrow: Bool = false) throws {
    socket = LoopbackSocket.make()
    if isNarrow {
      setOption(SOL_SOCKET, SO_RCVBUF, 4096)
      // Short segments, too: the sender's window is counted in them.
      setOption(Int32(IPPROTO_TCP), TCP_MAXSEG, 1000)
    } else {
      // Not resized by the system: tests depend on it.
      setOption(SOL_SOCKET, SO_RCVBUF, 256 << 10)
    }
    try LoopbackSocket.connect(socket, to: port)
  }

  private func setOption(_ level: Int32, _ name: Int32, _ value: Int32) {
    var value = value
    _ = setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  func send(_ text: String) { send(Array(text.utf8)[...]) }

  func send(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Sends as many bytes as are accepted at once.
  ///
  /// - Returns: The number of bytes sent.
  func sendWhatFits(_ bytes: ArraySlice<UInt8>) -> Int {
    var rest = bytes
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes {
        Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      guard sent > 0 else { break }
      rest = rest.dropFirst(sent)
    }
    return bytes.count - rest.count
  }

  /// Reads until this many bytes have arrived, or the end.
  func read(byteCount: Int) -> [UInt8] { readToReset(atMost: byteCount).bytes }

  /// Reads until a text has arrived, or the end.
  func read(until text: String) -> String {
    var all: [UInt8] = []
    while !String(decoding: all, as: UTF8.self).contains(text), let piece = receive() {
      all += piece
    }
    return String(decoding: all, as: UTF8.self)
  }

  /// Reads what arrives next; `nil` at the end.
  func receive() -> ArraySlice<UInt8>? {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let got = Foundation.read(socket, &chunk, chunk.count)
    return got > 0 ? chunk[..<got] : nil
  }

  /// Closes the sending side, and still reads.
  func endSending() { shutdown(socket, Int32(SHUT_WR)) }

  /// Disconnects: closes for reading and writing.
  func end() { shutdown(socket, Int32(SHUT_RDWR)) }

  func readToEnd() -> String { String(decoding: readBytesToEnd(), as: UTF8.self) }

  func readBytesToEnd() -> [UInt8] { readToReset().bytes }

  /// Reads some bytes, or to the end of the connection, and returns whether that was a reset, which
  /// is seen once.
  func readToReset(atMost byteCount: Int = .max) -> (bytes: [UInt8], isReset: Bool) {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while all.count < byteCount {
      let got = Foundation.read(socket, &chunk, min(chunk.count, byteCount - all.count))
      guard got > 0 else { return (all, got < 0 && errno == ECONNRESET) }
      all += chunk[..<got]
    }
    return (all, false)
  }

  deinit { close(socket) }
}
