import ArgumentParser
import HTTPListening
import TextEncodings

/// `HOST:PORT` or `unix:PATH`.
struct ListenArgument: ExpressibleByArgument, Hashable, Sendable {
  let target: ListenTarget

  init?(argument: String) {
    if argument.hasPrefix("unix:") {
      let path = String(argument.dropFirst("unix:".count))
      guard !path.isEmpty, path.utf8.count < 108 else { return nil }
      target = .unix(path: path)
    } else {
      guard let address = ListenAddress(argument: argument) else { return nil }
      target = .tcp(host: address.host, port: address.port)
    }
  }

  /// Where a server is to listen: systemd's sockets go before what is named.
  static func targets(
    _ named: [ListenArgument], _ environment: [String: String], otherwise: ListenTarget
  ) -> [ListenTarget] {
    let activated = SocketFile.activated(environment)
    if !activated.isEmpty { return activated }
    return named.isEmpty ? [otherwise] : named.map(\.target)
  }
}

extension ListenTarget {
  /// The line that says that it is listened on.
  ///
  /// - Parameter origin: The origin of a proxy; omitted where it is `nil`.
  func json(origin: String? = nil) -> JSONLine {
    var (host, port): (String?, Int?)
    if case .tcp(let name, let number) = self { (host, port) = (name, number) }
    return [
      "event": "listening", "address": "\(self)", "host": host, "port": port, "origin": origin,
    ]
  }

  /// The address as it is shown: a URL where it is one of TCP.
  var url: String { if case .tcp = self { "http://\(self)" } else { "\(self)" } }
}
