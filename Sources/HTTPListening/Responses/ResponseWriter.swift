public import HTTPCaching
public import HTTPTypes
import ImageModel
public import NIOCore
import NIOHTTP1

/// Writes one response to a client, framed for the client's version of HTTP.
public final class ResponseWriter: Sendable {
  private let send: @Sendable (HTTPServerResponsePart) async throws -> Void
  /// Whether the client uses HTTP/1.1: interim responses, chunks and persistent connections.
  private let isModern: Bool
  private let isHead: Bool
  private struct State {
    var keepsAlive: Bool
    var hasBegun = false
    var hasBody = false
  }
  private let state: Locked<State>

  init(
    for head: HTTPRequestHead,
    send: @escaping @Sendable (HTTPServerResponsePart) async throws -> Void
  ) {
    self.send = send
    isModern = head.version.major > 1 || head.version == .http1_1
    isHead = head.method == .HEAD
    state = Locked(State(keepsAlive: head.isKeepAlive))
  }

  /// The bytes written at once; the next piece waits until the client has read them.
  public static let pieceByteCount = 64 << 10

  /// Whether the connection may carry another request afterwards.
  var keepsAlive: Bool { state.withLock { $0.keepsAlive } }
  /// Whether a final head was written.
  public var hasBegun: Bool { state.withLock { $0.hasBegun } }
  /// Whether a body follows the head that was written.
  public var hasBody: Bool { state.withLock { $0.hasBody } }

  /// Writes an interim response, unless the client uses HTTP/1.0, which has none.
  public func interim(_ status: Int, _ fields: HTTPFields = [:]) async throws {
    guard isModern else { return }
    try await send(.head(head(status, fields)))
  }

  /// Writes the head of the response, with `Content-Length` if the length of the body is known.
  public func begin(_ status: Int, _ fields: HTTPFields) async throws {
    var head = head(status, fields)
    let hasBody = !isHead && status != 204 && status != 304
    if status == 204 { head.headers.remove(name: "content-length") }
    if hasBody, fields[.contentLength] == nil {
      if isModern {
        head.headers.add(name: "Transfer-Encoding", value: "chunked")
      } else {
        state.withLock { $0.keepsAlive = false }
      }
    }
    let keepsAlive = state.withLock { state in
      state.hasBegun = true
      state.hasBody = hasBody
      return state.keepsAlive
    }
    if !keepsAlive {
      head.headers.add(name: "Connection", value: "close")
    } else if !isModern {
      head.headers.add(name: "Connection", value: "keep-alive")
    }
    try await send(.head(head))
  }

  /// Writes bytes of the body, and waits for a slow client.
  public func write(_ bytes: [UInt8]) async throws { try await write(ByteBuffer(bytes: bytes)) }

  /// Writes bytes of the body, and waits for a slow client.
  public func write(_ bytes: ByteBuffer) async throws {
    try await send(.body(.byteBuffer(bytes)))
  }

  /// Ends the response.
  public func end() async throws { try await send(.end(nil)) }

  private func head(_ status: Int, _ fields: HTTPFields) -> HTTPResponseHead {
    var headers = HTTPHeaders()
    headers.reserveCapacity(fields.count + 2)
    for field in fields { headers.add(name: field.name.rawName, value: FieldBytes.text(of: field)) }
    return HTTPResponseHead(
      version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
  }
}

extension ByteRangeParts {
  /// Writes the parts in pieces, so that a slow client costs no memory; `read` returns the first
  /// bytes of a range, at most ``ResponseWriter/pieceByteCount``.
  public func write(
    to write: (ByteBuffer) async throws -> Void, from read: (Range<Int>) throws -> ByteBuffer
  ) async throws {
    for part in parts {
      if !part.head.isEmpty { try await write(ByteBuffer(string: part.head)) }
      var rest = part.bytes
      while !rest.isEmpty {
        let piece = try read(rest)
        try await write(piece)
        rest = rest.lowerBound + piece.readableBytes..<rest.upperBound
      }
    }
    if !end.isEmpty { try await write(ByteBuffer(string: end)) }
  }
}
