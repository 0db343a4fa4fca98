import Foundation

@testable import ImagePipeline

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A bare TCP client: sends what it is told and reads to the end. For tests of servers.
final class RawClient: Sendable {
  private let socket: Int32

  init(port: UInt16) throws {
    #if canImport(Darwin)
      socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #else
      socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    let status = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard status == 0 else { throw ImageError(.connectionFailed, "no server at port \(port)") }
  }

  func send(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let sent = rest.withUnsafeBytes { Foundation.write(socket, $0.baseAddress, $0.count) }
      guard sent > 0 else { return }
      rest = rest.dropFirst(sent)
    }
  }

  /// Reads until some text has come, or the end.
  func read(until text: String) -> String {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while !String(decoding: all, as: UTF8.self).contains(text) {
      let got = Foundation.read(socket, &chunk, chunk.count)
      guard got > 0 else { break }
      all += chunk[..<got]
    }
    return String(decoding: all, as: UTF8.self)
  }

  func readToEnd() -> String { String(decoding: readBytesToEnd(), as: UTF8.self) }

  func readBytesToEnd() -> [UInt8] {
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let got = Foundation.read(socket, &chunk, chunk.count)
      guard got > 0 else { return all }
      all += chunk[..<got]
    }
  }

  deinit { close(socket) }
}
