public import ImageModel
import NIOCore
import NIOPosix

/// An address that a server listens on.
public enum ListenTarget: Sendable, Hashable, CustomStringConvertible {
  /// A host or address, and a port; 0 for any free port.
  case tcp(host: String, port: Int)
  /// A socket in the file system; an unused one at the path is replaced, one in use is not.
  case unix(path: String)
  /// A socket that already listens, for example one passed by systemd.
  case descriptor(Int32)

  /// For people: `127.0.0.1:8780`, `unix:/run/imgcache.sock`.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    case .descriptor(let number): "fd:\(number)"
    }
  }

  /// Checks that the address can be listened on, without serving.
  ///
  /// - Throws: `ImageError` with code `cannotListen`.
  public func probe() async throws(ImageError) {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { threads.shutdownGracefully { _ in } }
    let bootstrap = ServerBootstrap(group: threads)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    do {
      switch self {
      case .tcp(let host, let port):
        try await bootstrap.bind(host: host, port: port).get().close()
      case .unix(let path): try SocketFile.checkPlace(path)
      case .descriptor: break
      }
    } catch {
      throw listenError(error)
    }
  }

  func listenError(_ error: any Error) -> ImageError {
    if let error = error as? ImageError { return error }
    if let error = error as? IOError { return listenError(errno: error.errnoCode) }
    let unknown = (error as? SocketAddressError.UnknownHost)?.host
    let reason = unknown.map { "no address of \($0) is known" } ?? "\(error)"
    return ImageError(.cannotListen, "cannot listen on \(self): \(reason)", cause: error)
  }

  func listenError(errno code: Int32) -> ImageError {
    ImageError(.cannotListen, "cannot listen on \(self)", errno: code)
  }
}

extension ImageError.Code {
  /// The address, port or socket cannot be listened on.
  public static let cannotListen = Self(rawValue: "cannot_listen")
}
