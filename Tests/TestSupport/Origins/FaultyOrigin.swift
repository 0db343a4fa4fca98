import Foundation

@testable import ImageModel
@testable import SampleFeed

/// An origin on loopback with scripted responses by path: complete, truncated, reset, slow,
/// malformed, late, wrong, redirecting. Records its requests.
final class FaultyOrigin: Sendable {
  /// How the requests for a path are answered, in order; the last answer is repeated.
  enum Answer: Sendable {
    /// A response with its true length. The fields are lines `Name: value`.
    case whole([UInt8], status: Int = 200, fields: [String] = [])
    /// A file with validators and range support.
    case file([UInt8], tag: String)
    /// As `file`, but the connection ends after this many bytes of the body: by a close or a reset.
    case brokenFile([UInt8], tag: String, after: Int, byReset: Bool = false)
    case raw([UInt8])
    case rawThenReset([UInt8])
    /// These bytes, then nothing until the gate opens, then those.
    case held([UInt8], Gate, [UInt8] = [])
    /// A head without a length, then chunks of an endless body.
    case endless
    /// Runs the test's closure, which returns whether the connection stays open.
    case custom(@Sendable (LoopbackRequest, LoopbackConnection) -> Bool)
  }

  private struct State {
    var scripts: [String: [Answer]]
    var requests: [LoopbackRequest] = []
    var connections: [LoopbackConnection] = []
  }
  private let state: Locked<State>
  private let server: LoopbackServer

  /// Starts with scripts by path; other paths get 404.
  init(_ scripts: [String: [Answer]] = [:]) throws {
    let state = Locked(State(scripts: scripts))
    self.state = state
    server = try LoopbackServer(rawHandler: { request, connection in
      let answer = state.withLock { state -> Answer? in
        state.requests.append(request)
        if !state.connections.contains(where: { $0 === connection }) {
          state.connections.append(connection)
        }
        guard var script = state.scripts[request.path], let first = script.first else { return nil }
        if script.count > 1 { script.removeFirst() }
        state.scripts[request.path] = script
        return first
      }
      return Self.play(answer ?? .whole(Array("gone".utf8), status: 404), request, connection)
    })
  }

  /// Starts with a script of the path "/".
  convenience init(_ first: Answer, _ others: Answer...) throws {
    try self.init(["/": [first] + others])
  }

  subscript(path: String) -> [Answer] {
    get { state.withLock { $0.scripts[path] ?? [] } }
    set { state.withLock { $0.scripts[path] = newValue } }
  }

  var port: UInt16 { server.port }
  /// Connections accepted, whether a request came over them or not.
  var connectionCount: Int { server.connectionCount }
  /// Connections that carried a request; stray ones of other processes do not count.
  var usedConnectionCount: Int { state.withLock { $0.connections.count } }
  var requests: [LoopbackRequest] { state.withLock { $0.requests } }
  func url(_ path: String) -> String { server.origin + path }
  /// Stops it, without waiting for handlers at gates that a test may open later.
  deinit {
    openGates()
    Thread.detachNewThread { [server] in server.stop() }
  }

  /// Stops it before its last reference is released, and waits for its handlers.
  func stop() {
    openGates()
    server.stop()
  }

  /// A failed test may leave a handler at its gate, and waiting for it would never end.
  private func openGates() {
    let answers = state.withLock { $0.scripts.values.flatMap { $0 } }
    for case .held(_, let gate, _) in answers { gate.open() }
  }

  /// A head with status 200 that announces a length.
  static func head(length: Int, fields: [String] = []) -> [UInt8] {
    let lines = fields.map { $0 + "\r\n" }.joined()
    return Array("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\(lines)\r\n".utf8)
  }

  private static func play(
    _ answer: Answer, _ request: LoopbackRequest, _ connection: LoopbackConnection
  ) -> Bool {
    let isHead = request.method == "HEAD"
    switch answer {
    case .whole(let body, let status, let fields):
      var response = LoopbackResponse(status: status, body: body)
      response.headers = fields.map { line in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
      }
      return connection.send(response.wire(isHead: isHead, keepsAlive: true))
    case .file(let body, let tag):
      let response = LoopbackResponse.file(
        body, mediaType: "image/jpeg", entityTag: tag, for: request)
      return connection.send(response.wire(isHead: isHead, keepsAlive: true))
    case .brokenFile(let body, let tag, let count, let byReset):
      let response = LoopbackResponse.file(
        body, mediaType: "image/jpeg", entityTag: tag, for: request)
      let wire = response.wire(isHead: false, keepsAlive: true)
      connection.send(Array(wire.dropLast(max(0, response.body.count - count))))
      if byReset { connection.reset() }
      return false
    case .raw(let bytes):
      connection.send(bytes)
      return false
    case .rawThenReset(let bytes):
      connection.send(bytes)
      connection.reset()
      return false
    case .held(let first, let gate, let second):
      connection.send(first)
      gate.block()
      connection.send(second)
      return false
    case .endless:
      connection.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = Array("4000\r\n".utf8) + [UInt8](repeating: 120, count: 0x4000) + [13, 10]
      while connection.send(chunk) {}
      return false
    case .custom(let act):
      return act(request, connection)
    }
  }
}

extension FaultyOrigin.Answer {
  /// A response with its true length, as `whole`, and a text as its body.
  static func text(_ text: String, status: Int = 200, fields: [String] = []) -> Self {
    .whole(Array(text.utf8), status: status, fields: fields)
  }

  /// An answer whose body comes in equal parts, each but the first once its gate is open.
  ///
  /// - Parameter announcesLength: Whether it has a `Content-Length`. Default: yes.
  static func steps(
    _ body: [UInt8], _ gates: [Gate], announcesLength: Bool = true
  ) -> FaultyOrigin.Answer {
    .custom { _, connection in
      connection.send(
        announcesLength
          ? FaultyOrigin.head(length: body.count)
          : Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8))
      let ends = (0...gates.count + 1).map { body.count * $0 / (gates.count + 1) }
      for (part, range) in zip(ends, ends.dropFirst()).enumerated() {
        if part > 0 { gates[part - 1].block() }
        connection.send(Array(body[range.0..<range.1]))
      }
      return false
    }
  }
}
