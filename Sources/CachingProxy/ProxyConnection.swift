import HTTPListening
import ImagePipeline
import NIOCore
import NIOHTTP1

/// One client's connection: reads requests, one after the other, and has them answered.
struct ProxyConnection: Sendable {
  typealias Client = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
  typealias Accepted = AcceptedConnection<HTTPServerRequestPart, HTTPServerResponsePart>

  let responder: ProxyResponder

  /// Serves until the client leaves, an answer breaks off, or the proxy stops.
  ///
  /// - Parameter hosts: The hosts that requests may name; `nil` for any.
  func serve(_ client: Client, hosts: HostRule?) async {
    // What goes wrong here ends the connection, which is all the client can be told.
    try? await client.executeThenClose { inbound, outbound in
      var parts = inbound.makeAsyncIterator()
      while case .head(let head)? = try await parts.next() {
        let body = RequestBody()
        let writer = ResponseWriter(outbound, for: head)
        let keepsAlive = try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            defer { body.abandon() }
            try await respond(to: head, body, writer, hosts)
          }
          try await feed(&parts, to: body)
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
      // An absolute target names the host that counts (RFC 9112 §3.2.2).
      if hosts?.problem(for: RequestFacts(head.inOriginForm).host) != nil {
        throw ProxyRequest.Refusal(status: 421)
      }
      request = try ProxyRequest(head, body: body)
    } catch {
      try await writer.begin(error.status, [.contentLength: "0"])
      return try await writer.end()
    }
    guard request.awaitsContinue, request.body != nil else {
      return try await responder.respond(to: request, writer)
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        if await body.isWanted(), !writer.hasBegun { try await writer.interim(100) }
      }
      defer { body.abandon() }
      try await responder.respond(to: request, writer)
      body.abandon()
      try await group.waitForAll()
    }
  }

  private func feed(
    _ parts: inout NIOAsyncChannelInboundStream<HTTPServerRequestPart>.AsyncIterator,
    to body: RequestBody
  ) async throws {
    do {
      while let part = try await parts.next() {
        switch part {
        case .head: return
        case .body(let buffer): await body.push(Array(buffer.readableBytesView))
        case .end:
          body.finish()
          return
        }
      }
    } catch {
      // A client that leaves in the middle is an error of the parser: the origin is not to wait for
      // the rest.
      body.fail()
      throw error
    }
    body.fail()
  }
}
