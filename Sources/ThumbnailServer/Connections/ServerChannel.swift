import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// One connection: the parser, the front handler, and behind it the framework's routes; or, above the limit, a refusal.
struct ServerChannel: HTTPChannelHandler {
  /// What a connection is made of.
  struct Connection: ServerChildChannelValue {
    let http: AcceptedConnection<HTTPRequestPart, HTTPResponsePart>
    let presence: ClientPresence
    var channel: any Channel { http.channel }
  }

  let responder: Responder
  let services: FrontHandler.Services
  let connections: OpenConnections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
    channel.eventLoop.makeCompletedFuture {
      let presence = ClientPresence()
      let metrics = services.metrics
      let isFull = metrics.connectionOpened() > services.limits.maximumConnections
      if isFull {
        // It takes no place: those who come later are not to wait for its end.
        metrics.connectionClosed()
        metrics.connectionRefused()
      } else {
        channel.closeFuture.whenComplete { _ in metrics.connectionClosed() }
      }
      // Those who are refused and those who are served are bounded alike.
      let mayLinger = connections.count < 2 * services.limits.maximumConnections
      let pipeline = channel.pipeline.syncOperations
      if isFull {
        try pipeline.addHandlers(encoder(), RefusalHandler(.busy, services, lingers: mayLinger))
      } else {
        try addHandlers(to: pipeline, presence)
      }
      let http = try AcceptedConnection<HTTPRequestPart, HTTPResponsePart>(wrapping: channel)
      connections.insert(channel)
      return Connection(http: http, presence: presence)
    }
  }

  private func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ presence: ClientPresence
  ) throws {
    let timer = ConnectionTimer(limits: services.limits)
    let hot = HotHandler(services, timer: timer)
    try pipeline.addHandler(timer)
    try pipeline.addHandler(ByteToMessageHandler(parser()))
    try pipeline.addHandler(hot)
    try pipeline.addHandler(encoder())
    try pipeline.addHandler(HTTPServerPipelineHandler())
    try pipeline.addHandler(FrontHandler(services, hot: hot, timer: timer, presence: presence))
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
  }

  /// The front handler frames what it writes: NIO would put chunks into the answer to a HEAD.
  private func encoder() -> HTTPResponseEncoder {
    var encoding = HTTPResponseEncoder.Configuration()
    encoding.automaticallySetFramingHeaders = false
    return HTTPResponseEncoder(configuration: encoding)
  }

  /// Its bounds are wide: what is out of the server's gets an answer that says so.
  private func parser() -> HTTPRequestDecoder {
    let limits = services.limits
    var bounds = NIOHTTPDecoderLimitConfiguration()
    bounds.maxHeaderListSize = 2 * (limits.maximumFieldByteCount + limits.maximumTargetByteCount)
    bounds.maxHeaderFieldSize = bounds.maxHeaderListSize
    bounds.maxHeaderFieldCount = 10 * limits.maximumFieldCount
    return HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: bounds)
  }

  func handle(value connection: Connection, logger: Logger) async {
    await ClientPresence.$current.withValue(connection.presence) {
      await handleHTTP(asyncChannel: connection.http.take(), logger: logger)
    }
  }
}
