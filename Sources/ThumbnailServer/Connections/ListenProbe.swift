import ImagePipeline
import NIOCore
import NIOPosix

/// Checks whether an address can be listened on, without serving.
public enum ListenProbe {
  /// - Throws: ``ImageError`` with code `cannotListen`.
  public static func probe(_ target: ListenTarget) async throws(ImageError) {
    let threads = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    defer { threads.shutdownGracefully { _ in } }
    let bootstrap = ServerBootstrap(group: threads)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
    do {
      switch target {
      case .tcp(let host, let port):
        try await bootstrap.bind(host: host, port: port).get().close()
      case .unix(let path): try SocketFile.checkPlace(path)
      case .descriptor: break
      }
    } catch let error as ImageError {
      throw error
    } catch {
      throw ImageError.cannotListen(on: "\(target)", error)
    }
  }
}
