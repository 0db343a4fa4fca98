import CNIOLinux
import HTTPTypes
import ImageModel
import NIOCore

/// The hosts that requests may name on a loopback listener.
///
/// Every page open in a browser on this machine reaches such a listener: to the browser, a page of
/// `evil.example` whose name now resolves to 127.0.0.1 (DNS rebinding) has the same origin as the
/// server and may read every response. It cannot, however, name a host other than its own.
struct HostRule: Sendable {
  let names: HostAllowList
  /// The only port whose hosts are checked, 80 if none is named; `nil` to check every host.
  var port: Int?

  func allows(_ value: String) -> Bool {
    guard let (host, port) = Self.split(value) else { return false }
    if let checked = self.port, checked != port ?? 80 { return true }
    let name = host.lowercased()
    return Self.isLoopback(name) || names.allows(host: name)
  }

  /// The reason to refuse a request; `nil` if there is none. HTTP/1.0, which no browser uses, may
  /// omit the host.
  func problem(for host: String?) -> Problem? {
    guard let host, !allows(host) else { return nil }
    return Problem(
      .misdirectedRequest, "host_not_served",
      "The server does not serve this host name; its operator can add it.")
  }

  static func split(_ value: String) -> (host: Substring, port: Int?)? {
    let end =
      value.hasPrefix("[")
      ? value.firstIndex(of: "]").map(value.index(after:)) : value.firstIndex { $0 == ":" }
    let host = value[..<(end ?? value.endIndex)]
    let rest = value[host.endIndex...]
    guard !host.isEmpty, host != "[" else { return nil }
    if rest.isEmpty || rest == ":" { return (host, nil) }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), digits.utf8.count <= 5,
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return (host, Int(digits))
  }

  /// Whether a name in lower case refers to this machine, without a query to a name server.
  static func isLoopback(_ host: String) -> Bool {
    let name = host.withoutFinalDot
    if name == "localhost" || name.hasSuffix(".localhost") { return true }
    let isIPv6 = name.hasPrefix("[")
    guard !isIPv6 || name.hasSuffix("]"),
      let address = try? SocketAddress(
        ipAddress: String(isIPv6 ? name.dropFirst().dropLast() : name[...]), port: 0)
    else { return false }
    return address.isLoopback && isIPv6 == (address.protocol == .inet6)
  }
}

extension SocketAddress {
  /// Whether the address is 127.0.0.0/8, also as an IPv4-mapped address, or ::1.
  var isLoopback: Bool {
    let bytes = ipBytes
    return bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
  }

  /// The 4 or 16 bytes of the address, 4 for an IPv4-mapped one; none for a Unix socket.
  var ipBytes: [UInt8] {
    switch self {
    case .v4(let address): return withUnsafeBytes(of: address.address.sin_addr) { Array($0) }
    case .v6(let address):
      let bytes = withUnsafeBytes(of: address.address.sin6_addr) { Array($0) }
      let isMapped = bytes.starts(with: Self.mappedPrefix)
      return isMapped ? Array(bytes[12...]) : bytes
    case .unixDomainSocket: return []
    }
  }

  private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]
}
