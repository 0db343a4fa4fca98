import Foundation
import Testing

@testable import ImageModel

/// An answer as it came over the wire: interim heads, the head, the body without its chunks.
struct RawAnswer: Sendable {
  /// An interim head.
  struct Interim: Sendable {
    let status: Int
    let fields: [(name: String, value: String)]

    func has(_ line: String) -> Bool { RawAnswer.has(line, in: fields) }
  }

  let interim: [Interim]
  let status: Int
  /// Names in lower case, in order of arrival.
  let fields: [(name: String, value: String)]
  let body: [UInt8]
  /// Whether the body has its announced length.
  let isWhole: Bool

  var text: String { String(decoding: body, as: UTF8.self) }

  /// The object that a JSON body is.
  func object() throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
  }

  /// All values of a field, joined as RFC 9110 §5.3 allows.
  subscript(name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// `Name`, `Name: value` or `Name > number`.
  func has(_ line: String) -> Bool { Self.has(line, in: fields) }

  /// The origin's time of the response, if given.
  var serverTime: Date {
    Date(timeIntervalSince1970: self["server-now"].flatMap { Double($0) } ?? 0)
  }

  private static func has(_ line: String, in fields: [(name: String, value: String)]) -> Bool {
    func value(_ name: some StringProtocol) -> String? {
      let name = name.trimmingBlanks.lowercased()
      let values = fields.filter { $0.name == name }.map(\.value)
      return values.isEmpty ? nil : values.joined(separator: ", ")
    }
    if let colon = line.firstIndex(of: ":") {
      return value(line[..<colon]) == line[line.index(after: colon)...].trimmingBlanks
    }
    if let sign = line.firstIndex(of: ">") {
      guard let number = value(line[..<sign]).flatMap({ Int($0) }),
        let bound = Int(line[line.index(after: sign)...].trimmingBlanks)
      else { return false }
      return number > bound
    }
    return value(line) != nil
  }
}

extension RawAnswer {
  /// Parses all bytes of a connection that ends with the response.
  init(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    var interim: [Interim] = []
    while true {
      guard let end = Self.end(of: rest) else {
        throw ImageError(.connectionReset, "no answer: '\(String(decoding: rest, as: UTF8.self))'")
      }
      let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n")
      rest = rest[(end + 4)...]
      guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
      else { throw ImageError(.protocolError, "no status line: \(lines.first ?? "")") }
      let fields = lines.dropFirst().map { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        return (parts[0].lowercased(), parts.count > 1 ? parts[1].trimmingBlanks : "")
      }
      if status < 200 {
        interim.append(Interim(status: status, fields: fields))
        continue
      }
      let isChunked = fields.contains { $0.0 == "transfer-encoding" && $0.1 == "chunked" }
      let length = fields.first { $0.0 == "content-length" }.flatMap { Int($0.1) }
      let body =
        isChunked ? Self.unchunked(rest) : (Array(rest), length.map { $0 == rest.count } ?? true)
      self.init(
        interim: interim, status: status, fields: fields, body: body.0, isWhole: body.1)
      return
    }
  }

  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    guard bytes.count >= 4 else { return nil }
    return (bytes.startIndex...(bytes.endIndex - 4)).first {
      bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
    }
  }

  private static func unchunked(_ bytes: ArraySlice<UInt8>) -> ([UInt8], Bool) {
    var rest = bytes
    var body: [UInt8] = []
    while let end = rest.firstIndex(of: 10),
      let count = Int(String(decoding: rest[..<(end - 1)], as: UTF8.self), radix: 16)
    {
      rest = rest[(end + 1)...]
      if count == 0 { return (body, true) }
      guard rest.count >= count + 2 else { break }
      body += rest.prefix(count)
      rest = rest.dropFirst(count + 2)
    }
    return (body, false)
  }
}

extension RawClient {
  /// Reads to the end of the connection, which is that of the response.
  func answer() throws -> RawAnswer { try RawAnswer(readBytesToEnd()) }

  /// One request on this connection, and its response.
  func exchange(
    _ method: String, _ target: String, host: String = "localhost", lines: [String] = [],
    body: String? = nil
  ) throws -> RawAnswer {
    var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
    for line in lines { text += line + "\r\n" }
    if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
    send(text + "\r\n" + (body ?? ""))
    let answer = try self.answer()
    guard method == "HEAD" else { return answer }
    return RawAnswer(
      interim: answer.interim, status: answer.status, fields: answer.fields, body: answer.body,
      isWhole: answer.body.isEmpty)
  }
}
