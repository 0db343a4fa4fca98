import Foundation

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A minimal origin: `GET /N` is answered with the body N, whatever else the request
/// contains, followed by the beginning of the request, so that no two URLs have equal bytes
/// (trailing bytes do not change an image). A thread for each connection.
package final class LoopbackOrigin: Sendable {
  package let port: UInt16
  /// Bytes of the request that follow a body.
  package static let tailByteCount = 40
  private let listener: Int32

  /// Listens on 127.0.0.1, at a port that the system chooses.
  package init(bodies: [[UInt8]]) throws {
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 128) == 0
          && getsockname(listener, $0, &length) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRNOTAVAIL) }
    port = UInt16(bigEndian: address.sin_port)
    let answers = bodies.map { body in
      let head =
        "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nCache-Control: max-age=86400\r\n"
        + "Content-Length: \(body.count + Self.tailByteCount)\r\n\r\n"
      return Array(head.utf8) + body
    }
    Thread.detachNewThread {
      while true {
        let connection = accept(listener, nil, nil)
        if connection < 0 { return }
        Thread.detachNewThread { Self.serve(connection, answers) }
      }
    }
  }

  /// Stops listening; connections end with their clients.
  package func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }

  private static func serve(_ connection: Int32, _ answers: [[UInt8]]) {
    defer { close(connection) }
    var one: Int32 = 1
    setsockopt(
      connection, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    var room = [UInt8](repeating: 0, count: 8192)
    var filled = 0
    while true {
      let count = room.withUnsafeMutableBytes {
        recv(connection, $0.baseAddress.map { $0 + filled }, $0.count - filled, 0)
      }
      if count <= 0 { return }
      filled += count
      guard room[..<filled].suffix(4).elementsEqual("\r\n\r\n".utf8) else { continue }
      // "GET /N…"
      let digits = room[5..<filled].prefix { (48...57).contains($0) }
      let number = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
      filled = 0
      let answer = answers[number % answers.count] + room.prefix(tailByteCount)
      var sent = 0
      while sent < answer.count {
        let count = answer.withUnsafeBytes {
          send(connection, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { return }
        sent += count
      }
    }
  }
}
