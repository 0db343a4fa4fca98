import HTTPListening
import ImageModel
import NIOCore
import NIOHTTP1

/// One client's connection: reads requests, one after the other, and has them answered.
struct ProxyConnection: Sendable {
  typealias Client = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
  typealias Accepted = AcceptedConnection<HTTPServerRequestPart, HTTPServerResponsePart>

  let responder: ProxyResponder

  /// Serves until the client disconnects, a response breaks off, or the proxy stops.
  ///
  /// - Parameter hosts: The hosts that requests may name; `nil` for any.
  func serve(_ client: Client, hosts: HostRule?) async {
    let presence = ConnectionPresence()
    client.channel.closeFuture.whenComplete { _ in presence.leave() }
    await ConnectionPresence.$current.withValue(presence) { await serve(client, hosts) }
  }

  private func serve(_ client: Client, _ hosts: HostRule?) async {
    // A failure ends the connection, which is all that the client can be told.
    try? await client.executeThenClose { inbound, outbound in
      var parts = inbound.makeAsyncIterator()
      while case .head(let received)? = try await parts.next() {
        let head = received.inOriginForm
        let writer = ResponseWriter(outbound, for: head)
        let awaitsContinue = head.headers.first(name: "Expect")?.lowercased() == "100-continue"
        let body = RequestBody {
          if awaitsContinue, !writer.hasBegun { try? await writer.interim(100) }
        }
        let keepsAlive = try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            defer { body.abandon() }
            try await respond(to: head, body, writer, hosts)
          }
          try await receive(body, from: &parts)
          try await group.waitForAll()
          return writer.keepsAlive
        }
        guard keepsAlive else { return }
      }
    }
  }

  private func respond(
    to head: HTTPRequestHead, _ body: RequestBody, _ writer: ResponseWriter, _ hosts: HostRule?
  ) async throws {
    let request: ProxyRequest
    do throws(ProxyRequest.Refusal) {
      if hosts?.problem(for: RequestFacts(head).host) != nil {
        throw ProxyRequest.Refusal(status: 421)
      }
      request = try ProxyRequest(head, body: body)
    } catch {
      try await writer.begin(error.status, [.contentLength: "0"])
      return try await writer.end()
    }
    try await responder.respond(to: request, writer)
  }

  /// Reads the body of a request.
  private func receive(
    _ body: RequestBody,
    from parts: inout NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator
  ) async throws {
    // A client that disconnects before the end is an error of the parser; the origin must not wait
    // for the rest. After the end this does nothing.
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
