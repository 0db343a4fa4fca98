import ImageModel
public import NIOHTTP1

/// What a proxy says to its origin of the client: `X-Forwarded-For`, `X-Forwarded-Proto` and
/// `X-Forwarded-Host`, which no standard describes. Those that a request has are kept if it comes
/// from a trusted proxy.
public struct ForwardedFields: Sendable {
  /// The addresses of the client and of the proxies that it came through.
  public static let addresses = "x-forwarded-for"
  /// `http` or `https`.
  public static let scheme = "x-forwarded-proto"
  /// The host that the client named.
  public static let host = "x-forwarded-host"
  /// The names of all of them, in lower case.
  public static let names = [addresses, scheme, host]

  private let proxies: TrustedProxies
  private let hosts: HostAllowList

  /// Creates those of a listener's requests.
  public init(_ listener: ListenerConfiguration) {
    proxies = listener.trustedProxies
    hosts = listener.serverNames
  }

  /// Returns the value of one of them for a request with these fields; `nil` where there is nothing
  /// to say.
  public func value(
    of name: String, _ headers: HTTPHeaders, from client: ConnectionPresence?
  ) -> String? {
    let own = isTrusted(client) ? headers[name] : []
    switch name {
    case Self.addresses:
      let hops = own + [client?.address].compactMap(\.self)
      return hops.isEmpty ? nil : hops.joined(separator: ", ")
    case Self.scheme: return own.first?.lowercased() == "https" ? "https" : "http"
    default:
      return (own.first ?? headers.first(name: "Host")).map(Self.spelling)
    }
  }

  /// Whether the fields of a client's requests are believed.
  public func isTrusted(_ client: ConnectionPresence?) -> Bool { proxies.trust(client?.address) }

  /// A host in one spelling. Most have it already, and each hit of the proxy asks.
  private static func spelling(of host: String) -> String {
    let isSpelled =
      !host.utf8.contains { (0x41...0x5A).contains($0) } && !host.hasSuffix(".")
      && !host.hasSuffix(":") && !host.contains(".:")
    if isSpelled { return host }
    guard let (name, port) = HostRule.split(host) else { return host }
    return name.lowercased().withoutFinalDot + (port.map { ":\($0)" } ?? "")
  }

  /// Whether a host is a name of this server that its operator knows: one listed in full or, where
  /// none is listed, this machine on a loopback listener.
  ///
  /// A response may have links with any other name, which a client has made up: it is for requests
  /// with that name alone.
  public func isOwn(_ host: String, of client: ConnectionPresence?) -> Bool {
    guard let (name, port) = HostRule.split(host), port == nil || port == client?.port else {
      return false
    }
    let host = name.lowercased()
    if !hosts.isEmpty { return hosts.lists(host: host) }
    return client?.isTrusted == true && HostRule.isLoopback(host)
  }
}
