import NIOCore
import NIOHTTP1

/// The connections of a server: NIO's parser and encoder, ``HitHandler`` between them, and behind
/// them ``FrontHandler`` and a task that has one request after the other answered.
public struct FrontChannel<Responder: RequestResponding>: ConnectionServing {
  /// A connection and its client.
  public struct Connection: Sendable {
    let client: AcceptedConnection<HTTPServerRequestPart, HTTPServerResponsePart>
    let presence: ConnectionPresence
  }

  private let front: ServerFront
  private let responder: Responder
  private let hits: @Sendable () -> any HitResponding

  /// - Parameter hits: Makes that of a connection.
  public init(
    _ front: ServerFront, _ responder: Responder, hits: @escaping @Sendable () -> any HitResponding
  ) {
    self.front = front
    self.responder = responder
    self.hits = hits
  }

  /// Adds the handlers.
  public func prepare(_ channel: any Channel, isLoopback: Bool) throws -> Connection {
    let isUnixSocket = if case .unixDomainSocket = channel.localAddress { true } else { false }
    let presence = ConnectionPresence(isLocal: isLoopback || isUnixSocket)
    let hosts = front.hosts(of: channel, isLoopback: isLoopback)
    try addHandlers(to: channel.pipeline.syncOperations, presence, hosts)
    return Connection(client: try AcceptedConnection(wrapping: channel), presence: presence)
  }

  private func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ presence: ConnectionPresence,
    _ hosts: HostRule?
  ) throws {
    let timer = ConnectionTimer(limits: front.limits)
    let place = front.passesBytes ? FieldBytes.Place() : nil
    let hits = HitHandler(hits(), place, hosts: hosts, timer: timer)
    let parser = HTTPRequestDecoder(
      leftOverBytesStrategy: .dropBytes, limitConfiguration: front.bounds)
    try pipeline.addHandler(timer)
    try pipeline.addHandler(RepeatedHeadHandler(hits))
    if let place { try pipeline.addHandler(FieldBytes.Outer(place)) }
    try pipeline.addHandler(ByteToMessageHandler(parser))
    try pipeline.addHandler(hits)
    try pipeline.addHandler(HTTPResponseEncoder.unframed)
    if let place { try pipeline.addHandler(FieldBytes.Marker(place)) }
    try pipeline.addHandler(HTTPServerPipelineHandler())
    try pipeline.addHandler(NIOHTTPResponseHeadersValidator())
    try pipeline.addHandler(
      FrontHandler(front, hosts: hosts, hits: hits, timer: timer, presence: presence))
  }

  /// Serves until the client disconnects, a response breaks off, or the server stops.
  public func serve(_ connection: Connection) async {
    let (client, presence) = (connection.client.take(), connection.presence)
    client.channel.closeFuture.whenComplete { _ in presence.leave() }
    await ConnectionPresence.$current.withValue(presence) {
      // A failure ends the connection, which is all that the client can be told.
      try? await client.executeThenClose { inbound, outbound in
        var parts = inbound.makeAsyncIterator()
        while case .head(let head)? = try await parts.next() {
          guard try await respond(to: head, &parts, outbound) else { return }
        }
      }
    }
  }

  private typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

  /// - Returns: Whether the connection may carry another request.
  private func respond(
    to head: HTTPRequestHead, _ parts: inout Parts,
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws -> Bool {
    let writer = ResponseWriter(outbound, for: head)
    let awaitsContinue = head.headers.first(name: "Expect")?.lowercased() == "100-continue"
    let body = RequestBody {
      if awaitsContinue, !writer.hasBegun { try? await writer.interim(100) }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { body.abandon() }
        try await responder.respond(to: head, body, writer)
      }
      try await receive(body, from: &parts)
      try await group.waitForAll()
    }
    return writer.keepsAlive
  }

  /// Reads the body of a request.
  private func receive(_ body: RequestBody, from parts: inout Parts) async throws {
    // A client that disconnects before the end is an error of the parser; nothing must wait for the
    // rest. After the end this does nothing.
    defer { body.fail() }
    while let part = try await parts.next() {
      switch part {
      case .head: return
      case .body(let buffer): await body.write(Array(buffer.readableBytesView))
      case .end: return body.finish()
      }
    }
  }
}
