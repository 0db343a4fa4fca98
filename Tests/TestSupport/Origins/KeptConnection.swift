@testable import ImageModel

/// A client that sends consecutive requests over one connection, as browsers and load
/// generators do.
final class KeptConnection {
  private let port: UInt16
  private var client: RawClient?
  private var rest: [UInt8] = []

  init(port: UInt16) { self.port = port }

  func end() { (client, rest) = (nil, []) }

  /// Sends a request and reads its response by its length; reconnects if the server has closed the
  /// connection.
  func exchange(_ method: String = "GET", _ target: String, _ lines: [String] = []) throws
    -> RawAnswer
  {
    let fields = lines.map { $0 + "\r\n" }.joined()
    let text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n"
    for isLast in [false, true] {
      do {
        let client = try client ?? RawClient(port: port)
        self.client = client
        client.send(text)
        return try read(isHead: method == "HEAD")
      } catch {
        end()
        if isLast { throw error }
      }
    }
    throw ImageError(.connectionFailed, "no answer")
  }

  private func fill() throws {
    guard let piece = client?.receive() else {
      throw ImageError(.connectionReset, "the answer broke off")
    }
    rest += piece
  }

  private func read(isHead: Bool) throws -> RawAnswer {
    let mark = Array("\r\n\r\n".utf8)
    var end: Int?
    while end == nil {
      end = rest.indices.first { rest[$0] == 13 && rest[$0...].starts(with: mark) }
      if end == nil { try fill() }
    }
    let headEnd = (end ?? 0) + 4
    let head = try RawAnswer(Array(rest[..<headEnd]))
    let hasBody = !isHead && head.status != 304 && head.status != 204
    let length = hasBody ? head["content-length"].flatMap { Int($0) } ?? 0 : 0
    while rest.count < headEnd + length { try fill() }
    let whole = Array(rest[..<(headEnd + length)])
    rest = Array(rest[(headEnd + length)...])
    if head["connection"] == "close" { self.end() }
    return try RawAnswer(whole)
  }
}
