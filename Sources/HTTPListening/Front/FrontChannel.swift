import ImageModel
import NIOCore
import NIOHTTP1

/// The connections of a server: NIO's parser and encoder, ``HitHandler`` between them, and behind
/// them ``FrontHandler`` and a task that has one request after the other answered.
struct FrontChannel: Sendable {
  typealias Side = (front: ServerFront, responder: any RequestResponding)
  private typealias Client = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

  let content: Side
  let operators: Side
  let hits: LoopHits
  private let loops = Locked<[ObjectIdentifier: NIOLoopBound<Loop>]>([:])

  /// What the connections of one event loop share.
  private struct Loop {
    let content: ServerFront
    let operators: ServerFront
    let hits: (ConnectionPresence) -> any HitResponding
  }

  init(content: Side, operators: Side, hits: @escaping LoopHits) {
    self.content = content
    self.operators = operators
    self.hits = hits
  }

  func run(_ observer: ListenerObserver) async throws -> ServerEnding {
    let front = content.front
    return try await ServerListener(
      front.listener, connections: front.metrics.connections, dates: front.dates,
      observer: observer, serving: begin
    ).run()
  }

  private func begin(
    _ channel: any Channel, isForOperators: Bool, whenEnded: @escaping @Sendable () -> Void
  ) throws {
    let loop = loop(of: channel).value
    let front = isForOperators ? loop.operators : loop.content
    let responder = isForOperators ? operators.responder : content.responder
    let isLoopback = channel.parent?.localAddress?.isLoopback ?? false
    let isUnixSocket = if case .unixDomainSocket = channel.localAddress { true } else { false }
    let presence = ConnectionPresence(
      isTrusted: isLoopback || isUnixSocket || isForOperators,
      address: front.log == nil && !front.isOfProxy ? nil : channel.remoteAddress?.ipAddress,
      port: front.isOfProxy ? channel.localAddress?.port : nil, executor: front.executor)
    try addHandlers(
      to: channel.pipeline.syncOperations, front, presence,
      front.hosts(of: channel, isLoopback: isLoopback), isForOperators ? nil : loop.hits(presence))
    // A plain request has two parts; those of a body have up to 64 KiB each.
    let client = try Client(
      wrappingChannelSynchronously: channel,
      configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4)))
    channel.closeFuture.whenComplete { _ in presence.leave() }
    // Always: NIO ends the process when a client is dropped that no task has served.
    Task(executorPreference: front.executor) {
      await ConnectionPresence.$current.withValue(presence) {
        await Self.serve(client, responder)
      }
      whenEnded()
    }
  }

  private func loop(of channel: any Channel) -> NIOLoopBound<Loop> {
    loops.withLock { loops in
      let key = ObjectIdentifier(channel.eventLoop)
      if let known = loops[key] { return known }
      let content = content.front.forAnotherLoop()
      let loop = Loop(
        content: content, operators: operators.front.forAnotherLoop(), hits: hits(content))
      let bound = NIOLoopBound(loop, eventLoop: channel.eventLoop)
      loops[key] = bound
      return bound
    }
  }

  private func addHandlers(
    to pipeline: ChannelPipeline.SynchronousOperations, _ front: ServerFront,
    _ presence: ConnectionPresence, _ hosts: HostRule?, _ responder: (any HitResponding)?
  ) throws {
    let timer = ConnectionTimer(limits: front.listener.limits)
    let place = front.isOfProxy ? FieldBytes.Place() : nil
    let hits = HitHandler(responder, place, hosts: hosts, timer: timer)
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

  private static func serve(_ client: Client, _ responder: any RequestResponding) async {
    // A failure ends the connection, which is all that the client can be told.
    try? await client.executeThenClose { inbound, outbound in
      var parts = inbound.makeAsyncIterator()
      while case .head(let head)? = try await parts.next() {
        guard try await respond(to: head, &parts, responder, outbound) else { return }
      }
    }
  }

  private typealias Parts = NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator

  /// - Returns: Whether the connection may carry another request.
  private static func respond(
    to head: HTTPRequestHead, _ parts: inout Parts, _ responder: any RequestResponding,
    _ outbound: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
  ) async throws -> Bool {
    let writer = ResponseWriter(for: head) { try await outbound.write($0) }
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

  private static func receive(_ body: RequestBody, from parts: inout Parts) async throws {
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
