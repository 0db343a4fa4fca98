import ImagePipeline
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A caching reverse proxy in front of one origin, for content of any kind: a shared cache by RFC 9111.
///
/// Every method and every field for the other end is passed on, bodies are streamed and left as they are, equal
/// requests that are under way share one answer, and interim answers go through. `Age`, `Via` and `Cache-Status` are
/// added.
public final class CachingProxy: Sendable {
  /// Where answers are kept.
  public enum Storage: Sendable {
    /// In a cache directory, as originals under their URLs.
    case disk(DiskCache)
    /// In memory, so many bytes at most.
    case memory(maximumByteCount: Int)
  }

  /// What a proxy is made of.
  public struct Configuration: Sendable {
    /// The address to listen on. Default: 127.0.0.1.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 for any that is free. Default: 0.
    public var port = 0
    /// An http or https URL, wherever it is; its path goes before every path that is asked for.
    public var origin: String
    /// Where answers are kept.
    public var storage: Storage
    /// Whether responses with `Set-Cookie` are stored and shared as any other, as RFC 9111 §7.3 allows. Otherwise only
    /// those that say `public` are, and without that field. Default: false.
    public var storesSetCookie = false
    /// How long requests under way may take after the proxy was told to stop. Default: 30 s.
    public var drainTime = Duration.seconds(30)
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }
    /// Hears one line for people about what went wrong. Default: nobody.
    public var log: @Sendable (String) -> Void = { _ in }

    /// The defaults.
    public init(origin: String, storage: Storage) {
      self.origin = origin
      self.storage = storage
    }
  }

  /// How it ended.
  public enum Ending: Sendable {
    /// Every request was answered.
    case drained
    /// Some were cut off when the time for draining was over.
    case cut
  }

  private let configuration: Configuration
  private let services: ProxyServices
  private let executor: BlockingExecutor
  private let connections = OpenConnections()

  /// A connection on which nothing happens for so long is closed; longer than the origin may be silent.
  private static let idleTime = TimeAmount.seconds(120)

  /// Prepares a proxy.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for an origin that is no URL, or `outOfMemory`.
  public init(_ configuration: Configuration) throws(ImageError) {
    self.configuration = configuration
    let store: any AnswerStoring =
      switch configuration.storage {
      case .disk(let cache):
        DiskAnswers(
          cache, storesSetCookie: configuration.storesSetCookie, log: configuration.log)
      case .memory(let maximum): MemoryAnswers(maximumByteCount: maximum)
      }
    executor = try BlockingExecutor(name: "proxy", threadCount: 8)
    services = ProxyServices(
      client: try OriginClient(origin: configuration.origin), store: store,
      exchanges: TaskTally(on: executor), via: ViaField(),
      storesSetCookie: configuration.storesSetCookie, clock: configuration.clock,
      log: configuration.log)
  }

  /// Listens and serves until the task is cancelled; then takes no new connection and finishes what is under way.
  ///
  /// - Parameter onListening: Hears the port when connections are taken.
  /// - Throws: ``ImageError`` with code `cannotListen`.
  public func run(onListening: @Sendable (Int) -> Void = { _ in }) async throws -> Ending {
    let server = try await listen()
    onListening(server.channel.localAddress?.port ?? configuration.port)
    let accepting = Task(executorPreference: executor) { [self] in
      let connection = ProxyConnection(responder: ProxyResponder(services: services))
      try? await server.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { group in
          for try await client in clients {
            group.addTask { await connection.serve(client.take()) }
          }
        }
      }
    }
    let ending = Locked(Ending.drained)
    await withTaskCancellationHandler {
      await accepting.value
    } onCancel: {
      server.channel.close(promise: nil)
      connections.drain()
      let (connections, limit) = (connections, configuration.drainTime)
      Task {
        try? await Task.sleep(for: limit)
        if connections.cut() > 0 { ending.withLock { $0 = .cut } }
      }
    }
    if ending.withLock({ $0 }) == .cut { services.client.stop() }
    await services.exchanges.drain()
    services.client.stop()
    let executor = executor
    // Its threads are joined, so not by one of themselves.
    await Task.detached { executor.stop() }.value
    return ending.withLock { $0 }
  }

  private func listen() async throws -> NIOAsyncChannel<ProxyConnection.Accepted, Never> {
    let connections = connections
    // The writer frames what it writes: NIO would put chunks into the answer to a HEAD.
    var encoding = HTTPResponseEncoder.Configuration()
    encoding.automaticallySetFramingHeaders = false
    let encoderConfiguration = encoding
    let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    do {
      return try await bootstrap.bind(host: configuration.host, port: configuration.port) {
        channel in
        channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          try pipeline.addHandler(IdleStateHandler(allTimeout: Self.idleTime))
          try pipeline.addHandler(IdleConnections())
          try pipeline.configureHTTPServerPipeline(
            withPipeliningAssistance: true, withErrorHandling: true,
            withEncoderConfiguration: encoderConfiguration)
          try TransferCodingHandler.install(in: pipeline)
          try FieldBytes.install(in: pipeline)
          let client = try ProxyConnection.Accepted(wrapping: channel)
          connections.insert(channel)
          return client
        }
      }
    } catch {
      throw ImageError.cannotListen(
        on: "\(configuration.host):\(configuration.port)", error)
    }
  }
}

/// Closes a connection on which nothing has happened for long.
private final class IdleConnections: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent {
      context.close(promise: nil)
    } else {
      context.fireUserInboundEventTriggered(event)
    }
  }
}
