import Foundation

@testable import ImageModel
@testable import SampleFeed

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// TCP sockets on 127.0.0.1, for the clients and the origins of tests.
enum LoopbackSocket {
  static func make() -> Int32 {
    #if canImport(Darwin)
      socket(AF_INET, SOCK_STREAM, 0)
    #else
      socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  static func connect(_ socket: Int32, to port: UInt16) throws {
    var address = address(port)
    let status = withSocketAddress(&address) { Foundation.connect(socket, $0, $1.pointee) }
    guard status == 0 else { throw ImageError(.connectionFailed, "no server at port \(port)") }
  }

  /// Binds a socket to a port that the system chooses, and returns the port.
  static func bind(_ socket: Int32) throws -> UInt16 {
    var address = address(0)
    let status = withSocketAddress(&address) {
      Foundation.bind(socket, $0, $1.pointee) == 0 ? getsockname(socket, $0, $1) : -1
    }
    guard status == 0 else {
      throw ImageError(.connectionFailed, "no port is free: \(String(cString: strerror(errno)))")
    }
    return UInt16(bigEndian: address.sin_port)
  }

  private static func address(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = port.bigEndian
    return address
  }

  private static func withSocketAddress(
    _ address: inout sockaddr_in,
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) -> Int32 {
    var count = socklen_t(MemoryLayout<sockaddr_in>.size)
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &count) }
    }
  }
}

extension LoopbackServer {
  /// For example `http://127.0.0.1:40123`, without a slash at the end.
  var origin: String { "http://127.0.0.1:\(port)" }
}

extension LoopbackConnection {
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
