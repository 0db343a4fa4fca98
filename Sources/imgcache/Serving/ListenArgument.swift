import ArgumentParser
import HTTPListening
import TextEncodings

/// An address to listen on: `HOST:PORT` or `unix:PATH`. An IPv6 address is in brackets, and no host
/// means every address.
struct ListenArgument: ExpressibleByArgument, Hashable, Sendable {
  let target: ListenTarget

  init?(argument: String) {
    if argument.hasPrefix("unix:") {
      let path = String(argument.dropFirst("unix:".count))
      guard !path.isEmpty, path.utf8.count < 108 else { return nil }
      target = .unix(path: path)
      return
    }
    guard let colon = argument.lastIndex(of: ":"),
      let port = Int(argument[argument.index(after: colon)...]), (0...65_535).contains(port)
    else { return nil }
    var host = argument[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.contains("[") else { return nil }
    target = .tcp(host: host.isEmpty ? "0.0.0.0" : String(host), port: port)
  }

  /// Returns the addresses to listen on: the sockets of systemd, else those named.
  static func targets(
    _ named: [ListenArgument], orAt port: Int
  ) -> [ListenTarget] {
    let activated = SocketFile.activated(Environment.variables)
    if !activated.isEmpty { return activated }
    return named.isEmpty ? [.tcp(host: "127.0.0.1", port: port)] : named.map(\.target)
  }
}

extension ListenTarget {
  func json(origin: String? = nil, isForOperators: Bool = false) -> JSONLine {
    var (host, port): (String?, Int?)
    if case .tcp(let name, let number) = self { (host, port) = (name, number) }
    return [
      "address": "\(self)", "host": host, "port": port, "origin": origin,
      "admin": isForOperators ? true : nil,
    ]
  }

  var url: String { if case .tcp = self { "http://\(self)" } else { "\(self)" } }
}
