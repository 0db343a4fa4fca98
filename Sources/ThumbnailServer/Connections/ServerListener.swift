import ImagePipeline
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Takes connections until it is told to stop; then finishes what is under way.
final class ServerListener: Service {
  private let targets: [ListenTarget]
  private let channel: ServerChannel
  private let drainTime: Duration
  private let socketMode: UInt16
  private let threads: MultiThreadedEventLoopGroup
  private let connections: OpenConnections
  private let logger: Logger
  private let onListening: @Sendable ([ListenTarget]) async -> Void
  private let onDraining: @Sendable () -> Void
  private let onTimeOver: @Sendable () -> Bool
  private let onCut: @Sendable () -> Void
  private let listeners = Locked<[any Channel]>([])
  private let files = Locked<[BoundSocketFile]>([])

  /// The longest that the last event of what was cut may take to its watchers.
  private static let lastWordTime = Duration.seconds(5)

  /// - Parameters:
  ///   - onListening: Hears where, when connections are taken.
  ///   - onDraining: Hears that it was told to stop.
  ///   - onTimeOver: Hears that the time for draining is over; returns whether it ended what others watch.
  ///   - onCut: Hears that connections were cut.
  init(
    _ targets: [ListenTarget], channel: ServerChannel, drainTime: Duration, socketMode: UInt16,
    threads: MultiThreadedEventLoopGroup, logger: Logger,
    onListening: @escaping @Sendable ([ListenTarget]) async -> Void,
    onDraining: @escaping @Sendable () -> Void, onTimeOver: @escaping @Sendable () -> Bool,
    onCut: @escaping @Sendable () -> Void
  ) {
    self.targets = targets
    self.channel = channel
    self.drainTime = drainTime
    self.socketMode = socketMode
    self.threads = threads
    connections = channel.connections
    self.logger = logger
    self.onListening = onListening
    self.onDraining = onDraining
    self.onTimeOver = onTimeOver
    self.onCut = onCut
  }

  func run() async throws {
    var servers: [NIOAsyncChannel<ServerChannel.Connection, Never>] = []
    do {
      for target in targets { servers.append(try await bind(target)) }
    } catch {
      removeFiles()
      for server in servers { try? await server.channel.close() }
      throw error
    }
    let bound = zip(targets, servers).map { target, server in
      if case .tcp(let host, 0) = target {
        return ListenTarget.tcp(host: host, port: server.channel.localAddress?.port ?? 0)
      }
      return target
    }
    listeners.withLock { $0 = servers.map(\.channel) }
    await onListening(bound)
    let opened = servers
    // A task of its own: those who are served are not cancelled with the one that is told to stop.
    let serving = Task {
      await withDiscardingTaskGroup { group in
        for server in opened { group.addTask { [self] in await accept(server) } }
      }
    }
    await withTaskCancellationOrGracefulShutdownHandler {
      await serving.value
    } onCancelOrGracefulShutdown: { [self] in
      stop()
    }
    removeFiles()
  }

  /// Removes the sockets in the file system, so that nobody who comes later finds one that nobody listens on.
  private func removeFiles() {
    for file in files.withLock({ $0 }) { file.remove() }
  }

  private func accept(_ server: NIOAsyncChannel<ServerChannel.Connection, Never>) async {
    do {
      try await server.executeThenClose { clients in
        try await withThrowingDiscardingTaskGroup { group in
          for try await client in clients {
            group.addTask { [self] in await channel.handle(value: client, logger: logger) }
          }
        }
      }
    } catch {
      logger.error("accepting connections failed: \(error)")
    }
  }

  /// Takes no new connection, lets those end that are idle, and after a while the others.
  private func stop() {
    onDraining()
    removeFiles()
    for listener in listeners.withLock({ $0 }) { listener.close(promise: nil) }
    connections.drain()
    let (connections, limit, onTimeOver, onCut) = (connections, drainTime, onTimeOver, onCut)
    Task {
      try? await Task.sleep(for: limit)
      if onTimeOver() { try? await Task.sleep(for: Self.lastWordTime) }
      if connections.cut() > 0 { onCut() }
    }
  }

  private func bind(
    _ target: ListenTarget
  ) async throws -> NIOAsyncChannel<ServerChannel.Connection, Never> {
    let (channel, logger) = (channel, logger)
    let setup: @Sendable (any Channel) -> EventLoopFuture<ServerChannel.Connection> = {
      channel.setup(channel: $0, logger: logger)
    }
    let bootstrap = ServerBootstrap(group: threads)
      .serverChannelOption(.backlog, value: 1024)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // What a client has not taken yet stays small: slow ones cost no memory.
      // A request fits one read; a second one would only find that there is no more.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 64 << 10))
    do {
      switch target {
      case .tcp(let host, let port):
        return try await bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
          .bind(host: host, port: port, childChannelInitializer: setup)
      case .unix(let path):
        // Not the framework's own way, which replaces what is in use and removes what has become another's.
        let file = try BoundSocketFile(path, mode: socketMode)
        files.withLock { $0.append(file) }
        return try await bootstrap.bind(file.descriptor, childChannelInitializer: setup)
      case .descriptor(let number):
        return try await bootstrap.bind(number, childChannelInitializer: setup)
      }
    } catch let error as ImageError {
      throw error
    } catch {
      throw ImageError.cannotListen(on: "\(target)", error)
    }
  }
}
