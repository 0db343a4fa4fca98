import ImageModel

#if canImport(Darwin)
  package import Darwin
#else
  import Glibc
#endif

/// One accepted connection of a ``LoopbackServer``. All methods block its own thread.
package final class LoopbackConnection: Sendable {
  private struct State {
    var socket: Int32
    var unread: [UInt8] = []
  }
  private let state: Locked<State>
  /// The maximum size of a head and of a body; larger ones end the connection.
  private static let maximumRequestByteCount = 1 << 20

  package init(socket: Int32) {
    state = Locked(State(socket: socket))
    var on: Int32 = 1
    setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    #if canImport(Darwin)
      setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// The next request; `nil` at the end, when the server stops, and for a malformed request.
  package func nextRequest() -> LoopbackRequest? {
    var bytes = state.withLock { $0.unread }
    var searched = 0
    while true {
      if let end = Self.endOfHead(in: bytes, from: searched) {
        guard var request = LoopbackRequest(head: Array(bytes[..<end])) else { return nil }
        let length = request["content-length"].flatMap { Int($0) } ?? 0
        guard length >= 0, length <= Self.maximumRequestByteCount else { return nil }
        while bytes.count < end + 4 + length { guard receive(into: &bytes) else { return nil } }
        request.body = Array(bytes[(end + 4)..<(end + 4 + length)])
        let rest = Array(bytes[(end + 4 + length)...])
        state.withLock { $0.unread = rest }
        return request
      }
      searched = max(0, bytes.count - 3)
      guard bytes.count < Self.maximumRequestByteCount, receive(into: &bytes) else { return nil }
    }
  }

  /// Returns `false` when the client has gone or the server stops.
  @discardableResult
  package func send(_ bytes: [UInt8]) -> Bool {
    let socket = self.socket
    guard socket >= 0 else { return false }
    return bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        #if canImport(Darwin)
          let flags: Int32 = 0
        #else
          let flags = Int32(MSG_NOSIGNAL)
        #endif
        let sent = systemSend(socket, UnsafeRawBufferPointer(rebasing: rest), flags)
        if sent < 0, errno == EINTR { continue }
        guard sent > 0 else { return false }
        rest = rest.dropFirst(sent)
      }
      return true
    }
  }

  /// Makes blocked reads and writes return; the connection's own thread then closes. From any
  /// thread.
  package func interrupt() {
    state.withLock { if $0.socket >= 0 { _ = shutdown($0.socket, Int32(SHUT_RDWR)) } }
  }

  package func close() {
    state.withLock {
      if $0.socket >= 0 { closeSocket($0.socket) }
      $0.socket = -1
    }
  }

  var socket: Int32 { state.withLock { $0.socket } }

  func receive(into bytes: inout [UInt8]) -> Bool {
    let socket = self.socket
    guard socket >= 0 else { return false }
    let room = 16_384
    let chunk = [UInt8](unsafeUninitializedCapacity: room) { buffer, count in
      var got = -1
      repeat { got = recv(socket, buffer.baseAddress, room, 0) } while got < 0 && errno == EINTR
      count = max(0, got)
    }
    bytes += chunk
    return !chunk.isEmpty
  }

  private static func endOfHead(in bytes: [UInt8], from start: Int) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (start...(bytes.count - 4)).first {
      bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
    }
  }
}

// Outside the type, whose own methods of these names would hide them.
private func closeSocket(_ socket: Int32) { _ = close(socket) }
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
  send(socket, bytes.baseAddress, bytes.count, flags)
}
