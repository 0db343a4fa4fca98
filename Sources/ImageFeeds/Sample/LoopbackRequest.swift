/// A request as it arrived at a ``LoopbackServer``.
struct LoopbackRequest: Sendable {
  /// For example `GET`.
  let method: String
  /// The path and query as they stood in the request line, still percent-encoded.
  let target: String
  /// Names in lower case, in order of arrival.
  let headers: [(name: String, value: String)]
  /// The body; empty where there was none.
  let body: [UInt8]

  /// The path alone, still percent-encoded.
  var path: String { String(target.prefix { $0 != "?" }) }

  /// What follows the `?`, still percent-encoded; `nil` when there is none.
  var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The first header of that name, which is given in lower case.
  subscript(header: String) -> String? { headers.first { $0.name == header }?.value }

  /// Whether the client asked for the connection to end after the answer.
  var wantsClose: Bool { self["connection"]?.lowercased() == "close" }
}

extension LoopbackRequest {
  /// Reads a head: all up to the empty line, which is not part of `head`. Returns `nil` for nonsense.
  init?(head: [UInt8], body: [UInt8] = []) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3, words[2].hasPrefix("HTTP/1.") else { return nil }
    method = String(words[0])
    target = String(words[1])
    headers = lines.dropFirst().compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
      return (line[..<colon].lowercased(), String(value))
    }
    self.body = body
  }
}
