/// Where a server takes connections.
public enum ListenTarget: Sendable, Hashable, CustomStringConvertible {
  /// A host or address, and a port; 0 for any that is free.
  case tcp(host: String, port: Int)
  /// A socket in the file system; one that is left over there is replaced, one in use is not.
  case unix(path: String)
  /// A socket that listens already: handed over by systemd.
  case descriptor(Int32)

  /// For people: `127.0.0.1:8780`, `unix:/run/imgcache.sock`.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .descriptor(let number): "fd:\(number)"
    }
  }
}
