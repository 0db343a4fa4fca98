import Foundation

@testable import ImageModel

/// A loopback port for a program that cannot listen on port 0, reserved from the moment it is
/// chosen.
///
/// A port that was free a moment ago may be assigned to any of a thousand connections a second. A
/// socket that is bound and does not listen reserves it: the kernel does not assign the port, while
/// a program that names it, with `SO_REUSEADDR` as servers do, may listen on it.
final class ReservedPort: Sendable {
  let number: UInt16
  private let descriptor: Int32

  init() throws {
    let descriptor = LoopbackSocket.make()
    self.descriptor = descriptor
    var yes: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout.size(ofValue: yes)))
    do {
      number = try LoopbackSocket.bind(descriptor)
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }
}
