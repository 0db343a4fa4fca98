import ImageModel

#if canImport(Darwin)
  public import Darwin
#else
  import Glibc
#endif

/// Decides which hosts and addresses may be reached, so that a URL from outside cannot lead into
/// the network of this machine.
///
/// Names are judged before a connection, and the address really connected to when it is made, after
/// every redirect too.
public struct HostGuard: Sendable, Hashable {
  /// Whether every address may be reached. Default: false.
  public var allowsPrivateNetworks = false
  /// Hosts and ports that the user has named, as `host:port` in lower case: these may be at any
  /// address.
  public var exemptions: Set<String> = []

  /// Whether a proxy makes the connections: then the address of the connection is not evidence.
  var isBehindProxy = false

  /// Allows public addresses alone.
  public init() {}

  /// Allows public addresses, and the hosts and ports of these URLs wherever they are.
  ///
  /// - Parameter urls: The URLs that the user typed: API bases, feeds, the URL of `get`; or
  ///   `host:port`. Other texts are ignored.
  public init(exempting urls: [String]) {
    let hosts = urls.map { $0.contains(":") && !$0.contains("/") ? "http://\($0)" : $0 }
    exemptions = Set(hosts.compactMap { WebURL($0)?.hostAndPort })
  }

  enum Verdict: Sendable, Hashable {
    /// Nothing: the name alone is enough to refuse it.
    case refused
    /// The addresses that ``HostGuard/isPublic(_:)`` accepts.
    case publicAddresses
    case anyAddress
  }

  func judge(_ url: WebURL) -> Verdict {
    if allowsPrivateNetworks || exemptions.contains(url.hostAndPort) { return .anyAddress }
    let name = url.host.withoutFinalDot
    if name == "localhost" || name.hasSuffix(".localhost") { return .refused }
    if let isPublic = Self.isPublic(literal: name), !isPublic { return .refused }
    return isBehindProxy ? .anyAddress : .publicAddresses
  }

  /// Classifies a host that is an address in its usual spelling; `nil` for other names.
  static func isPublic(literal host: String) -> Bool? {
    let isIPv6 = host.hasPrefix("[") && host.hasSuffix("]")
    let text = isIPv6 ? String(host.dropFirst().dropLast()) : host
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { room in
      guard inet_pton(isIPv6 ? AF_INET6 : AF_INET, text, room.baseAddress) == 1 else { return nil }
      return isPublic(UnsafeBufferPointer(rebasing: room[..<(isIPv6 ? 16 : 4)]))
    }
  }

  /// Whether an address, 4 or 16 bytes in network order, is one of the public Internet's.
  ///
  /// Refused are loopback, private, link-local, shared (CGNAT), unspecified, multicast,
  /// documentation, benchmarking and reserved addresses, and IPv6 addresses that carry such an IPv4
  /// address. Source: the IANA special-purpose address registries (RFC 6890 and successors).
  static func isPublic(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
    switch address.count {
    case 4: isPublicIPv4(address[0], address[1], address[2], address[3])
    case 16: isPublicIPv6(address)
    default: false
    }
  }

  private static func isPublicIPv4(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> Bool {
    switch (a, b, c) {
    case (0, _, _), (10, _, _), (127, _, _): false  // this network, private, loopback
    case (100, 64...127, _): false  // shared between carriers and customers
    case (169, 254, _): false  // link-local, with the metadata services of clouds
    case (172, 16...31, _), (192, 168, _): false  // private
    case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113): false  // protocols, documentation
    case (192, 88, 99): false  // the former relay of 6to4
    case (198, 18...19, _): false  // benchmarking
    case (224..., _, _): false  // multicast, reserved, broadcast
    default: true
    }
  }

  private static func isPublicIPv6(_ address: UnsafeBufferPointer<UInt8>) -> Bool {
    func group(_ index: Int) -> UInt16 {
      UInt16(address[2 * index]) << 8 | UInt16(address[2 * index + 1])
    }
    func isPublicIPv4(at start: Int) -> Bool {
      self.isPublicIPv4(address[start], address[start + 1], address[start + 2], address[start + 3])
    }
    // ISATAP (RFC 5214 §6.1) under any prefix: the interface identifier carries an IPv4 address,
    // and its u and g bits say nothing about where that leads.
    if group(4) & ~0x0300 == 0, group(5) == 0x5efe, !isPublicIPv4(at: 12) { return false }
    let leadingZeros = (0..<8).prefix { group($0) == 0 }.count
    // ::, ::1, and IPv4 addresses in the last four bytes (compatible, and mapped behind ffff).
    if leadingZeros >= 6 { return isPublicIPv4(at: 12) }
    if leadingZeros == 5, group(5) == 0xffff { return isPublicIPv4(at: 12) }
    if leadingZeros == 4, group(4) == 0xffff, group(5) == 0 { return isPublicIPv4(at: 12) }
    switch (group(0), group(1)) {
    case (0x64, 0xff9b): return group(2) == 0 && isPublicIPv4(at: 12)  // NAT64
    case (0x100, 0): return false  // discard
    case (0x2001, 0x0...0x1ff): return false  // Teredo, ORCHID, benchmarking, protocols
    case (0x2001, 0xdb8), (0x3fff, 0x0...0xfff): return false  // documentation
    case (0x2002, _): return isPublicIPv4(at: 2)  // 6to4
    case (0x2000...0x3fff, _): return true  // all that is global today
    default: return false  // unique local, link-local, site-local, multicast, unassigned
    }
  }
}
