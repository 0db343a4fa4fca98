import Foundation

@testable import ImagePipeline

/// A port on loopback for a program that cannot be told to take any: kept for it from the moment it
/// is chosen.
///
/// A port that was merely free a moment ago belongs to whoever asks next, and a thousand
/// connections a second ask. A socket that is bound and does not listen holds it: the kernel gives
/// the port to nobody who takes any, while a program that names it, with `SO_REUSEADDR` as servers
/// do, may listen there.
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
