import Foundation

@testable import ImageModel

/// A client that sends consecutive requests over one connection, as browsers and load
/// generators do.
final class KeptConnection {
  private let port: UInt16
  private var descriptor: Int32 = -1
  private var rest: [UInt8] = []

  init(port: UInt16) { self.port = port }

  deinit { end() }

  func end() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
    rest = []
  }

  /// Sends a request and reads its response by its length; reconnects if the server has closed the
  /// connection.
  func exchange(_ method: String = "GET", _ target: String, _ lines: [String] = []) throws
    -> RawAnswer
  {
    let fields = lines.map { $0 + "\r\n" }.joined()
    let text = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\(fields)\r\n"
    for isLast in [false, true] {
      do {
        if descriptor < 0 { try connect() }
        try send(Array(text.utf8))
        return try read(isHead: method == "HEAD")
      } catch {
        end()
        if isLast { throw error }
      }
    }
    throw ImageError(.connectionFailed, "no answer")
  }

  private func connect() throws {
    descriptor = LoopbackSocket.make()
    try LoopbackSocket.connect(descriptor, to: port)
  }

  private func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw ImageError(.connectionReset, "the request was not taken") }
      sent += count
    }
  }

  private func fill() throws {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let got = recv(descriptor, &chunk, chunk.count, 0)
    guard got > 0 else { throw ImageError(.connectionReset, "the answer broke off") }
    rest += chunk[..<got]
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
