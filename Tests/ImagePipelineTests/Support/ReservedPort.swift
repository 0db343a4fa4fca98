import Foundation

@testable import ImagePipeline

/// A port on loopback for a program that cannot be told to take any: kept for it from the moment it is chosen.
///
/// A port that was merely free a moment ago belongs to whoever asks next, and a thousand connections a second ask. A
/// socket that is bound and does not listen holds it: the kernel gives the port to nobody who takes any, while a
/// program that names it, with `SO_REUSEADDR` as servers do, may listen there.
final class ReservedPort: Sendable {
  let number: UInt16
  private let descriptor: Int32

  init() throws {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    self.descriptor = descriptor
    var yes: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var count = socklen_t(MemoryLayout.size(ofValue: address))
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, count) == 0 ? getsockname(descriptor, $0, &count) : -1
      }
    }
    number = UInt16(bigEndian: address.sin_port)
    guard status == 0 else {
      close(descriptor)
      throw ImageError(.cannotListen, "no port can be had: \(String(cString: strerror(errno)))")
    }
  }

  deinit { close(descriptor) }
}
