import NIOCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

extension SocketAddress {
  /// Whether the address is a loopback address: 127.0.0.0/8, ::1, or the former as an
  /// IPv4-mapped address.
  var isLoopback: Bool {
    switch self {
    case .v4(let address): UInt32(bigEndian: address.address.sin_addr.s_addr) >> 24 == 127
    case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { Self.isLoopback($0) }
    case .unixDomainSocket: false
    }
  }

  /// Whether a TCP socket is bound to a loopback address.
  static func isLoopback(_ descriptor: Int32) -> Bool {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout.size(ofValue: storage))
    let status = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard status == 0 else { return false }
    let family = Int32(storage.ss_family)
    return withUnsafeBytes(of: storage) { bytes in
      switch family {
      case AF_INET: SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self)).isLoopback
      case AF_INET6: SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self)).isLoopback
      default: false
      }
    }
  }

  /// Whether the 16 bytes of an IPv6 address are a loopback address.
  static func isLoopback(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    if isMapped { return bytes[12] == 127 }
    return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] == 1
  }
}
