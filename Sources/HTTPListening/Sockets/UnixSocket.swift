#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct UnixSocket {
  enum Kind {
    case stream, datagram
  }
  let descriptor: Int32
  private var address = sockaddr_un()
  private let length: socklen_t

  /// Opens a socket that is closed on exec; a stream does not block.
  ///
  /// - Parameter path: A file; for datagrams also an abstract name after an `@`.
  /// - Returns: `nil` if the system has none left or the path is too long; see `errno`.
  init?(_ path: String, _ kind: Kind = .stream) {
    var bytes = Array(path.utf8)
    // An abstract name begins with a zero byte and does not end with one.
    let isAbstract = kind == .datagram && bytes.first == UInt8(ascii: "@")
    if isAbstract { bytes[0] = 0 }
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return nil
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let start = MemoryLayout.size(ofValue: address) - MemoryLayout.size(ofValue: address.sun_path)
    length = socklen_t(start + bytes.count + (isAbstract ? 0 : 1))
    #if canImport(Glibc)
      let type =
        kind == .stream ? SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue : SOCK_DGRAM.rawValue
      descriptor = socket(AF_UNIX, Int32(type | SOCK_CLOEXEC.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, kind == .stream ? SOCK_STREAM : SOCK_DGRAM, 0)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if kind == .stream { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
      }
    #endif
    guard descriptor >= 0 else { return nil }
  }

  // Not named as the calls, which would then be hidden.

  /// Binds to the address; on failure `errno` is set.
  func bindSocket() -> Bool { withAddress { bind(descriptor, $0, length) == 0 } }

  /// Connects to the address; on failure `errno` is set.
  func connectSocket() -> Bool { withAddress { connect(descriptor, $0, length) == 0 } }

  func closeSocket() { _ = close(descriptor) }

  /// Sends one message to the address, without waiting.
  func send(_ message: String) {
    let message = Array(message.utf8)
    _ = withAddress { sendto(descriptor, message, message.count, 0, $0, length) }
  }

  private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
