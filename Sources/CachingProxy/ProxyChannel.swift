import HTTPListening
import ImageModel
import NIOCore
import NIOHTTP1

/// The connections of the proxy: NIO's parser and encoder, which pass interim responses and bodies
/// of any length.
struct ProxyChannel: ConnectionServing {
  /// A connection and the hosts that its requests may name; `nil` for any.
  struct Connection: Sendable {
    let client: ProxyConnection.Accepted
    let hosts: HostRule?
  }

  /// The maximum bytes of a request's fields; those beyond ASCII count twice, see ``FieldBytes``.
  /// More end the connection.
  private static let maximumHeadByteCount = 128 << 10

  let connection: ProxyConnection
  let limits: ConnectionLimits
  /// The names of the proxy; `nil` to allow any host.
  let names: HostAllowList?

  func prepare(_ channel: any Channel, isLoopback: Bool) throws -> Connection {
    let pipeline = channel.pipeline.syncOperations
    let timer = ConnectionTimer(limits: limits)
    try pipeline.addHandler(timer)
    var bounds = NIOHTTPDecoderLimitConfiguration()
    bounds.maxHeaderListSize = Self.maximumHeadByteCount
    bounds.maxHeaderFieldSize = Self.maximumHeadByteCount
    try pipeline.configureHTTPServerPipeline(
      withPipeliningAssistance: true, withErrorHandling: true,
      withEncoderConfiguration: .unframed, withDecoderLimitConfiguration: bounds)
    try TransferCodingHandler.install(in: pipeline)
    try FieldBytes.install(in: pipeline)
    try pipeline.addHandler(RequestTimingHandler(timer))
    // Requests to a proxy name its origin, so that names alone tell nothing. A browser, however,
    // names the port that it connects to: another name with the proxy's own port is one that
    // resolves to this machine.
    let hosts = names.map { HostRule(names: $0, port: channel.localAddress?.port ?? 80) }
    return Connection(
      client: try ProxyConnection.Accepted(wrapping: channel), hosts: isLoopback ? hosts : nil)
  }

  func serve(_ connection: Connection) async {
    await self.connection.serve(connection.client.take(), hosts: connection.hosts)
  }
}

/// Tells the timer of a connection where requests, their bodies and their responses begin and end.
///
/// It is behind the handler that lets one request of a connection through at a time.
private final class RequestTimingHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let timer: ConnectionTimer
  private var isBodyDue = false
  private var isResponseDue = false

  init(_ timer: ConnectionTimer) { self.timer = timer }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head:
      (isBodyDue, isResponseDue) = (true, true)
      // The origin asks for the body at once, so a client that waits for 100 gets it in time.
      timer.requestBegan(isReceiving: true)
    case .body: break
    case .end:
      isBodyDue = false
      timer.bodyChanged(isReceiving: false)
      endIfDone()
    }
    context.fireChannelRead(data)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .end = unwrapOutboundIn(data) {
      isResponseDue = false
      endIfDone()
    }
    context.write(data, promise: promise)
  }

  private func endIfDone() {
    if !isBodyDue, !isResponseDue { timer.requestEnded() }
  }
}
