import HTTPListening
import ImageModel
import NIOCore
import NIOHTTP1

/// The connections of the proxy: NIO's parser and encoder, which pass interim responses and bodies
/// of any length, and `HitHandler` between them.
struct ProxyChannel: ConnectionServing {
  /// A connection and the hosts that its requests may name; `nil` for any.
  struct Connection: Sendable {
    let client: ProxyConnection.Accepted
    let hosts: HostRule?
  }

  /// The maximum bytes of a request's fields; those beyond ASCII count twice, see ``FieldBytes``.
  /// More end the connection.
  private static let maximumHeadByteCount = 128 << 10

  let services: ProxyServices
  let limits: ConnectionLimits
  /// The names of the proxy; `nil` to allow any host.
  let names: HostAllowList?

  func prepare(_ channel: any Channel, isLoopback: Bool) throws -> Connection {
    // Requests to a proxy name its origin, so that names alone tell nothing. A browser, however,
    // names the port that it connects to: another name with the proxy's own port is one that
    // resolves to this machine.
    let rule = names.map { HostRule(names: $0, port: channel.localAddress?.port ?? 80) }
    let hosts = isLoopback ? rule : nil
    try addHandlers(to: channel.pipeline.syncOperations, hosts)
    return Connection(client: try ProxyConnection.Accepted(wrapping: channel), hosts: hosts)
  }

  private func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ hosts: HostRule?
  ) throws {
    let timer = ConnectionTimer(limits: limits)
    let place = FieldBytes.Place()
    let hits = HitHandler(ProxyHits(services, place), hosts: hosts, timer: timer)
    var bounds = NIOHTTPDecoderLimitConfiguration()
    bounds.maxHeaderListSize = Self.maximumHeadByteCount
    bounds.maxHeaderFieldSize = Self.maximumHeadByteCount
    let parser = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: bounds)
    try pipeline.addHandler(timer)
    try pipeline.addHandler(RepeatedHeadHandler(hits))
    try pipeline.addHandler(FieldBytes.Outer(place))
    try pipeline.addHandler(ByteToMessageHandler(parser))
    try pipeline.addHandler(hits)
    try pipeline.addHandler(HTTPResponseEncoder.unframed)
    try pipeline.addHandler(FieldBytes.Marker(place))
    try pipeline.addHandler(HTTPServerPipelineHandler())
    try pipeline.addHandler(TransferCodingHandler())
    try pipeline.addHandler(NIOHTTPResponseHeadersValidator())
    try pipeline.addHandler(RequestTimingHandler(timer, hits))
  }

  func serve(_ connection: Connection) async {
    let responder = ProxyResponder(services: services)
    await ProxyConnection(responder: responder).serve(
      connection.client.take(), hosts: connection.hosts)
  }
}

/// Notifies the timer and the first handler of a connection of the start and end of requests, their
/// bodies and their responses, and answers what the parser refuses: with one response, after which
/// nothing is written.
///
/// It is behind the handler that lets one request of a connection through at a time.
private final class RequestTimingHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias InboundOut = HTTPServerRequestPart
  typealias OutboundIn = HTTPServerResponsePart
  typealias OutboundOut = HTTPServerResponsePart

  private let timer: ConnectionTimer
  private let hits: HitHandler
  private var isBodyDue = false
  private var isResponseDue = false
  /// Whether a final head was written, and not the end.
  private var isResponding = false
  /// Whether the connection ends with the response.
  private var isLast = false
  private var hasRefused = false

  init(_ timer: ConnectionTimer, _ hits: HitHandler) {
    self.timer = timer
    self.hits = hits
  }

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

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if let fault = error as? HTTPParserError, !isResponding, !hasRefused {
      let headers: HTTPHeaders = ["Content-Length": "0", "Connection": "close"]
      let status: HTTPResponseStatus =
        fault == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest
      let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
      hasRefused = true
    }
    context.fireErrorCaught(error)
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if hasRefused {
      promise?.fail(ChannelError.outputClosed)
      return
    }
    switch unwrapOutboundIn(data) {
    case .head(let head):
      isLast = isLast || head.headers["Connection"].contains("close")
      isResponding = head.status.code >= 200
      timer.isOpenEnded = head.isOpenEnded
    case .body: break
    case .end:
      isResponding = false
      timer.isOpenEnded = false
      isResponseDue = false
      endIfDone()
      // A response that ends with the connection is followed by no other.
      if !isLast { hits.pendingEnded() }
    }
    context.write(data, promise: promise)
  }

  private func endIfDone() {
    if !isBodyDue, !isResponseDue { timer.requestEnded() }
  }
}
