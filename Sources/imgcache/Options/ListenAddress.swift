import ArgumentParser

/// `HOST:PORT` as `--listen` takes it; an IPv6 address stands in brackets, and no host means every address.
struct ListenAddress: ExpressibleByArgument, Hashable, Sendable, CustomStringConvertible {
  let host: String
  let port: Int

  init(host: String, port: Int) {
    self.host = host
    self.port = port
  }

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"),
      let port = Int(argument[argument.index(after: colon)...]), (0...65_535).contains(port)
    else { return nil }
    var host = argument[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.contains("[") else { return nil }
    self.host = host.isEmpty ? "0.0.0.0" : String(host)
    self.port = port
  }

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
  var defaultValueDescription: String { description }
}
