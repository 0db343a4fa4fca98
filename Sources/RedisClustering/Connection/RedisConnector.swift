import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Opens connections: TCP, TLS if configured, and commands for setup. Confined to its event loop.
final class RedisConnector {
  let loop: any EventLoop
  let connectTimeout: TimeAmount
  /// A connection on which nothing arrives for so long although a reply is due is given up.
  let patience: TimeAmount
  private let configuration: RedisConfiguration
  private let tls: TLSContext?

  init(_ configuration: RedisConfiguration, on loop: any EventLoop) throws(RedisError) {
    self.loop = loop
    self.configuration = configuration
    connectTimeout = TimeAmount(configuration.connectTimeout)
    patience = TimeAmount(configuration.deadline / 4)
    tls = try configuration.tls.map { rules throws(RedisError) in
      try TLSContext(trustedCertificates: rules.trustedCertificates)
    }
  }

  /// Makes a connection, and reports what happens on it, a failure to connect as its end.
  func connect(
    to endpoint: RedisEndpoint, onEvent: @escaping ((any Channel)?, ReplyHandler.Event) -> Void
  ) {
    let maximum = configuration.maximumReplyByteCount
    let (tls, host) = (tls, configuration.tls?.serverName ?? endpoint.host)
    let bound = NIOLoopBound((tls: tls, onEvent: onEvent), eventLoop: loop)
    let bootstrap = ClientBootstrap(group: loop)
      .connectTimeout(connectTimeout)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          let (tls, onEvent) = bound.value
          let pipeline = channel.pipeline.syncOperations
          if let tls { try pipeline.addHandler(TLSHandler(tls, host: host)) }
          try pipeline.addHandler(
            ReplyHandler(maximumReplyByteCount: maximum) { onEvent(channel, $0) })
        }
      }
    // An address waits for no other's name to be resolved.
    let address = try? SocketAddress(ipAddress: endpoint.host, port: endpoint.port)
    let connecting =
      address.map { bootstrap.connect(to: $0) }
      ?? bootstrap.connect(host: endpoint.host, port: endpoint.port)
    connecting.whenFailure { error in
      bound.value.onEvent(nil, .ended(Self.error(error)))
    }
  }

  private static func error(_ error: any Error) -> RedisError {
    switch error {
    case let error as RedisError: error
    case ChannelError.connectTimeout: RedisError(.timedOut, "did not accept a connection in time")
    case let error as NIOConnectionError:
      if let first = error.connectionErrors.first {
        Self.error(first.error)
      } else {
        RedisError(.connectionFailed, "cannot resolve the name \(error.host)")
      }
    // The description of NIO calls it a reset and has unbalanced brackets.
    case let error as IOError:
      RedisError(.connectionFailed, "cannot connect: \(String(cString: strerror(error.errnoCode)))")
    default: RedisError(.connectionFailed, "\(error)")
    }
  }

  var setupCommands: [RedisCommand] {
    var commands: [RedisCommand] = []
    if let password = configuration.password {
      let user = configuration.user.map { [RedisCommand.Argument($0)] } ?? []
      commands.append(RedisCommand("AUTH", user + [RedisCommand.Argument(password)]))
    }
    // Replicas of a cluster answer reads only after this; a server of none refuses it.
    return commands + [RedisCommand("READONLY")]
  }

  /// The error in the replies to ``setupCommands`` that makes a connection useless. A server that
  /// does not support `AUTH` repeats its arguments in its error, which no message here includes.
  func setupError(in replies: [RedisValue]) -> RedisError? {
    guard let password = configuration.password, case .error(let error)? = replies.first else {
      return nil
    }
    return RedisError(error.code, error.message.replacing(password, with: "***"))
  }
}
