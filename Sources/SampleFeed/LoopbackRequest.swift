/// A request as it arrived at a ``LoopbackServer``.
package struct LoopbackRequest: Sendable {
  /// For example `GET`.
  package let method: String
  /// The path and query of the request line, still percent-encoded.
  package let target: String
  /// Names in lower case, in order of arrival.
  package let headers: [(name: String, value: String)]
  /// The body; empty where there was none.
  package let body: [UInt8]

  /// The path alone, still percent-encoded.
  package var path: String { String(target.prefix { $0 != "?" }) }

  /// The query after the `?`, still percent-encoded; `nil` where there is none.
  package var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The first header of that name, which is given in lower case.
  package subscript(header: String) -> String? { headers.first { $0.name == header }?.value }

  /// Whether the client asked for the connection to end after the answer.
  package var wantsClose: Bool { self["connection"]?.lowercased() == "close" }
}

extension LoopbackRequest {
  /// Reads a head without its empty line; `nil` for a malformed one.
  package init?(head: [UInt8], body: [UInt8] = []) {
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
