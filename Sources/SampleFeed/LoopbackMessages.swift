import HTTPCaching
import ImageModel

package struct LoopbackRequest: Sendable {
  package let method: String
  /// The path and query of the request line, still percent-encoded.
  package let target: String
  /// Names in lower case, in order of arrival.
  package let headers: [(name: String, value: String)]
  package internal(set) var body: [UInt8] = []

  package var path: String { String(target.prefix { $0 != "?" }) }

  package var query: String? {
    target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  package subscript(header: String) -> String? { headers.first { $0.name == header }?.value }

  package var wantsClose: Bool { self["connection"]?.lowercased() == "close" }

  package init?(head: [UInt8]) {
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
  }
}

/// A response of a ``LoopbackServer``, which adds `Content-Length` and `Connection`.
package struct LoopbackResponse: Sendable {
  package var status = 200
  package var headers: [(name: String, value: String)] = []
  /// The body; not sent in response to HEAD and with a status that forbids it.
  package var body: [UInt8] = []

  package func wire(isHead: Bool, keepsAlive: Bool) -> [UInt8] {
    let hasBody = status != 304 && status != 204 && status >= 200
    var head = "HTTP/1.1 \(status) \(Self.phrases[status] ?? "Status \(status)")\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if hasBody, !headers.contains(where: { $0.name.lowercased() == "content-length" }) {
      head += "Content-Length: \(body.count)\r\n"
    }
    head += keepsAlive ? "\r\n" : "Connection: close\r\n\r\n"
    return Array(head.utf8) + (hasBody && !isHead ? body : [])
  }

  private static let phrases = [
    200: "OK", 206: "Partial Content", 304: "Not Modified", 404: "Not Found",
    416: "Range Not Satisfiable",
  ]

  /// The response with a file: 304 for a matching `If-None-Match`, 206 for one byte range (with
  /// `If-Range` only if it names this entity tag, which has its quotes), 416 for one that is
  /// outside.
  package static func file(
    _ bytes: [UInt8], mediaType: String, entityTag: String, cacheControl: String? = nil,
    for request: LoopbackRequest
  ) -> LoopbackResponse {
    var response = LoopbackResponse(headers: [("ETag", entityTag), ("Accept-Ranges", "bytes")])
    if let cacheControl { response.headers.append(("Cache-Control", cacheControl)) }
    let known = EntityTag.list([Array((request["if-none-match"] ?? "").utf8)])
    if known.contains(where: { $0 == .any || $0.weaklyMatches(EntityTag(entityTag.utf8)) }) {
      response.status = 304
      return response
    }
    response.headers.append(("Content-Type", mediaType))
    guard let range = request["range"], request["if-range"].map({ $0 == entityTag }) ?? true,
      let wanted = HTTPByteRange(range)
    else {
      response.body = bytes
      return response
    }
    if let part = wanted.resolved(of: bytes.count) {
      let place = HTTPContentRange(bytes: part, total: bytes.count)
      response.status = 206
      response.headers.append(("Content-Range", place.description))
      response.body = Array(bytes[part])
    } else {
      response.status = 416
      response.headers.append(("Content-Range", HTTPContentRange.unsatisfied(total: bytes.count)))
    }
    return response
  }
}
