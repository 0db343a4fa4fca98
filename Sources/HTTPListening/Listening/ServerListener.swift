import ImageModel
import NIOCore
import NIOHTTP1
import NIOPosix

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// How a server listens, and what its clients may use of it.
public struct ListenerConfiguration: Sendable {
  /// The addresses it listens on.
  public var targets: [ListenTarget]
  /// The addresses for operators, which serve no content. Default: none.
  public var operatorTargets: [ListenTarget] = []
  /// The permissions of a socket in the file system, as `chmod` takes them. Default: 0660.
  public var socketMode: UInt16 = 0o660
  /// The names of the server on a loopback listener, besides `localhost`, `*.localhost` and
  /// loopback addresses: a request that names another host gets 421, as it may come from a page
  /// whose name was made to resolve to this machine (DNS rebinding). `*` allows all names. Other
  /// listeners do not check them. Default: none.
  public var serverNames = HostAllowList()
  /// The proxies in front whose `X-Forwarded-For`, or `Forwarded`, is believed. Default: none.
  public var trustedProxies = TrustedProxies()
  /// The origins whose pages may read responses, `https://example.org` as browsers write it, or `*`
  /// for all; pages for operators are read by none. Default: none.
  public var readingOrigins: [String] = []
  /// The limits of one client.
  public var limits = ConnectionLimits()
  /// How long requests and other work in progress may take when the server stops. Default: 30 s.
  public var drainTime = Duration.seconds(30)
  /// The number of threads for connections. Default: one for each usable processor.
  public var threadCount = Processors.usableCount

  /// The defaults, with the addresses to listen on.
  public init(_ targets: [ListenTarget]) { self.targets = targets }
}

/// How a server ended.
public enum ServerEnding: Sendable {
  /// Every request was answered.
  case drained
  /// Some work was cut off when the time for draining was over.
  case cut
}

/// Callbacks for the events of a listener.
public struct ListenerObserver: Sendable {
  /// Called with the addresses when connections are accepted; those for operators are last.
  public var onListening: @Sendable ([ListenTarget]) -> Void = { _ in }
  /// Called when draining begins.
  public var onDraining: @Sendable () -> Void = {}
  /// Called when the time for draining is over; returns whether it ended something that clients
  /// watch.
  public var onTimeOver: @Sendable () -> Bool = { false }
  /// Called when connections were cut.
  public var onCut: @Sendable () -> Void = {}
  /// Called when accepting pauses because the process or the system is out of descriptors.
  public var onPause: @Sendable () -> Void = {}

  /// Does nothing until its properties are set.
  public init() {}
}

final class ServerListener: Sendable {
  /// Builds the pipeline of an accepted connection, which has a ``ConnectionTimer``, on its event loop,
  /// and serves it in a task that calls `whenEnded` at its end.
  typealias Serving =
    @Sendable (
      _ channel: any Channel, _ isForOperators: Bool, _ whenEnded: @escaping @Sendable () -> Void
    ) throws -> Void

  private let configuration: ListenerConfiguration
  private let serving: Serving
  private let connections: OpenConnections
  private let threads: MultiThreadedEventLoopGroup
  private let dates: DateField
  private let observer: ListenerObserver
  private let listeners = Locked<[any Channel]>([])
  private let files = Locked<[BoundSocketFile]>([])
  private let running = Locked((count: 0, waiter: UnsafeContinuation<Void, Never>?.none))

  /// The time for the last event of what was cut to reach the clients that watch it.
  private static let lastEventTime = Duration.seconds(5)
  /// The number of connections above the limit that listeners for operators accept.
  private static let operatorPlaces = 16
  private static let backlog: Int32 = 1024

  init(
    _ configuration: ListenerConfiguration, connections: OpenConnections, dates: DateField,
    observer: ListenerObserver, serving: @escaping Serving
  ) {
    self.configuration = configuration
    self.serving = serving
    self.connections = connections
    threads = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.threadCount))
    self.dates = dates
    self.observer = observer
  }

  func run() async throws -> ServerEnding {
    do {
      try await acceptConnections()
    } catch {
      await stop()
      throw error
    }
    await stop()
    return connections.wasCut ? .cut : .drained
  }

  private func stop() async {
    removeFiles()
    try? await threads.shutdownGracefully()
  }

  private func acceptConnections() async throws {
    let targets = configuration.targets + configuration.operatorTargets
    var opened: [any Channel] = []
    connections.begin()
    do {
      for target in targets {
        let isForOperators = opened.count >= configuration.targets.count
        opened.append(try await bind(target, isForOperators: isForOperators))
      }
    } catch {
      for listener in opened { try? await listener.close() }
      throw error
    }
    let bound = zip(targets, opened).map { target, listener in
      if case .tcp(let host, 0) = target {
        return ListenTarget.tcp(host: host, port: listener.localAddress?.port ?? 0)
      }
      return target
    }
    listeners.withLock { $0 = opened }
    observer.onListening(bound)
    await withTaskCancellationHandler {
      for listener in opened { try? await listener.closeFuture.get() }
      await running.wait { running, waiter in
        if running.count > 0 { running.waiter = waiter }
        return running.count > 0
      }
    } onCancel: {
      stop()
    }
  }

  private func begin(_ channel: any Channel, isForOperators: Bool) throws {
    running.withLock { $0.count += 1 }
    let ended: @Sendable () -> Void = { [running] in
      running.withLock { running in
        running.count -= 1
        guard running.count == 0 else { return }
        running.waiter?.resume()
        running.waiter = nil
      }
    }
    do {
      try serving(channel, isForOperators, ended)
    } catch {
      ended()
      throw error
    }
  }

  /// So that later clients do not find sockets that are not listened on.
  private func removeFiles() {
    for file in files.withLock({ $0 }) { file.remove() }
  }

  /// Accepts what the system has queued and no further connection, closes idle connections, and
  /// after a while the others.
  private func stop() {
    observer.onDraining()
    removeFiles()
    for listener in listeners.withLock({ $0 }) {
      listener.pipeline.fireUserInboundEventTriggered(AcceptHandler.Finish())
    }
    connections.drain()
    let (connections, limit, observer) = (connections, configuration.drainTime, observer)
    Task {
      try? await Task.sleep(for: limit.bounded)
      if observer.onTimeOver() { try? await Task.sleep(for: Self.lastEventTime) }
      connections.cut()
      if connections.wasCut { observer.onCut() }
    }
  }

  // MARK: Accepting

  private func bind(_ target: ListenTarget, isForOperators: Bool) async throws -> any Channel {
    let bootstrap = bootstrap(isForOperators: isForOperators)
    do {
      switch target {
      case .tcp(let host, let port):
        return try await bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
          .bind(to: .makeAddressResolvingHost(host, port: port)).get()
      case .unix(let path):
        // NIO's own way replaces a socket in use and removes one that another process has made.
        let file = try BoundSocketFile(path, mode: configuration.socketMode)
        files.withLock { $0.append(file) }
        return try await Self.bind(file.descriptor, bootstrap)
      case .descriptor(let number): return try await Self.bind(number, bootstrap)
      }
    } catch {
      throw target.listenError(error)
    }
  }

  private static func bind(
    _ descriptor: Int32, _ bootstrap: ServerBootstrap
  ) async throws -> any Channel {
    let channel = try await bootstrap.withBoundSocket(descriptor).get()
    // NIO has just shortened its backlog to 128.
    _ = listen(descriptor, backlog)
    return channel
  }

  private func bootstrap(isForOperators: Bool) -> ServerBootstrap {
    // Clients of the content must not keep operators out.
    let places = min(configuration.limits.maximumConnections, .max >> 2)
    let maximum = places + (isForOperators ? Self.operatorPlaces : 0)
    return ServerBootstrap(group: threads)
      .serverChannelOption(.backlog, value: Self.backlog)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .serverChannelOption(.maxMessagesPerRead, value: AcceptHandler.batchCount)
      .serverChannelInitializer { [connections, observer] listener in
        listener.eventLoop.makeCompletedFuture {
          let handler = AcceptHandler(
            connections, maximum: maximum, onPause: observer.onPause)
          try listener.pipeline.syncOperations.addHandler(handler)
        }
      }
      // The bytes that wait for a client stay few, so slow clients cost no memory.
      // A request fits one read; a second one would only find that there are no more bytes.
      .childChannelOption(.maxMessagesPerRead, value: 1)
      .childChannelOption(.writeBufferWaterMark, value: .init(low: 32 << 10, high: 64 << 10))
      .childChannelInitializer { [self] channel in
        channel.eventLoop.makeCompletedFuture {
          switch connections.beginBuilding(channel) {
          case .refused(let lingers):
            try channel.pipeline.syncOperations.addHandlers(
              HTTPResponseEncoder.unframed, RefusalHandler(.busy, dates, lingers: lingers))
          case .served: try begin(channel, isForOperators: isForOperators)
          }
        }
      }
  }
}

extension HTTPResponseEncoder {
  /// An encoder that leaves `Content-Length` and `Transfer-Encoding` to the server: NIO would put
  /// chunks into the response to a HEAD.
  static var unframed: HTTPResponseEncoder {
    var configuration = Configuration()
    configuration.automaticallySetFramingHeaders = false
    return HTTPResponseEncoder(configuration: configuration)
  }
}

extension HTTPResponseHead {
  /// Whether the body of the response to a GET would end with the connection (RFC 9112 §6.3).
  var isOpenEnded: Bool {
    status.code >= 200 && !headers.contains(name: "Content-Length")
      && !headers.contains(name: "Transfer-Encoding")
  }
}
