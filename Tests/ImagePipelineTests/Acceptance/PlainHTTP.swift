import Foundation

@testable import ImagePipeline

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// One request on a connection of its own, for looking at an origin from the side.
enum PlainHTTP {
  /// The body of the answer, whatever its status.
  static func body(of method: String, _ target: String, port: UInt16) throws -> [UInt8] {
    #if canImport(Darwin)
      let socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #else
      let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw ImageError(.connectionFailed, "nobody listens at \(port)") }

    let request = Array(
      "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n".utf8)
    guard send(socket, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
      throw ImageError(.connectionReset, "the request was not taken")
    }
    var answer: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let got = recv(socket, &chunk, chunk.count, 0)
      guard got > 0 else { break }
      answer += chunk[..<got]
    }
    let head = Array("\r\n\r\n".utf8)
    guard let end = answer.indices.first(where: { answer[$0...].starts(with: head) }) else {
      return []
    }
    return Array(answer[(end + 4)...])
  }
}
