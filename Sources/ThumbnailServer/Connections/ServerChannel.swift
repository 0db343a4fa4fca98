import HTTPListening
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1

/// The connections of the thumbnail server: the parser, the front handler, and behind it
/// Hummingbird's routes.
struct ServerChannel: ConnectionServing, HTTPChannelHandler {
  /// A connection and its client.
  struct Connection: ServerChildChannelValue {
    let http: AcceptedConnection<HTTPRequestPart, HTTPResponsePart>
    let presence: ClientPresence
    var channel: any Channel { http.channel }
  }

  let responder: Responder
  let services: FrontHandler.Services
  /// The names of the server; `nil` to allow any host.
  let names: HostAllowList?
  let logger: Logger

  func prepare(_ channel: any Channel, isLoopback: Bool) throws -> Connection {
    let isUnixSocket = if case .unixDomainSocket = channel.localAddress { true } else { false }
    let presence = ClientPresence(isLocal: isLoopback || isUnixSocket)
    let hosts = isLoopback ? names.map { HostRule(names: $0) } : nil
    try addHandlers(to: channel.pipeline.syncOperations, presence, hosts)
    return Connection(http: try AcceptedConnection(wrapping: channel), presence: presence)
  }

  private func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ presence: ClientPresence,
    _ hosts: HostRule?
  ) throws {
    let timer = ConnectionTimer(limits: services.limits)
    let hits = HitHandler(ThumbnailHits(services), hosts: hosts, timer: timer)
    try pipeline.addHandler(timer)
    try pipeline.addHandler(RepeatedHeadHandler(hits))
    try pipeline.addHandler(ByteToMessageHandler(parser()))
    try pipeline.addHandler(hits)
    try pipeline.addHandler(HTTPResponseEncoder.unframed)
    try pipeline.addHandler(HTTPServerPipelineHandler())
    try pipeline.addHandler(
      FrontHandler(services, hosts: hosts, hits: hits, timer: timer, presence: presence))
    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
  }

  /// The parser, with wider bounds than the server's, so that a violation gets a proper response.
  private func parser() -> HTTPRequestDecoder {
    let limits = services.limits
    var bounds = NIOHTTPDecoderLimitConfiguration()
    bounds.maxHeaderListSize =
      2 * (min(limits.maximumFieldByteCount, 1 << 30) + min(limits.maximumTargetByteCount, 1 << 30))
    bounds.maxHeaderFieldSize = bounds.maxHeaderListSize
    bounds.maxHeaderFieldCount = 10 * min(limits.maximumFieldCount, 1 << 20)
    return HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: bounds)
  }

  func serve(_ connection: Connection) async {
    await ClientPresence.$current.withValue(connection.presence) {
      await handleHTTP(asyncChannel: connection.http.take(), logger: logger)
    }
  }

  // MARK: HTTPChannelHandler, whose `handleHTTP` is used

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
    channel.eventLoop.makeCompletedFuture { try prepare(channel, isLoopback: false) }
  }

  func handle(value connection: Connection, logger: Logger) async { await serve(connection) }
}
