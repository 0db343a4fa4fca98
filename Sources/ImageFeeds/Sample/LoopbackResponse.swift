/// What a ``LoopbackServer`` answers. `Content-Length`, `Date` and `Connection` are added by the server.
struct LoopbackResponse: Sendable {
  /// For example 200.
  var status = 200
  /// In the order in which they are sent.
  var headers: [(name: String, value: String)] = []
  /// Not sent where the request was a HEAD or the status forbids a body.
  var body: [UInt8] = []

  /// The whole answer as it goes over the wire, HTTP/1.1.
  ///
  /// - Parameters:
  ///   - isHead: Whether to leave the body out because the request was a HEAD.
  ///   - keepsAlive: Whether the connection stays open afterwards.
  func wire(isHead: Bool, keepsAlive: Bool) -> [UInt8] {
    let hasBody = status != 304 && status != 204 && status >= 200
    var head = "HTTP/1.1 \(status) \(Self.phrase(for: status))\r\n"
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if hasBody, !headers.contains(where: { $0.name.lowercased() == "content-length" }) {
      head += "Content-Length: \(body.count)\r\n"
    }
    head += keepsAlive ? "\r\n" : "Connection: close\r\n\r\n"
    return Array(head.utf8) + (hasBody && !isHead ? body : [])
  }

  private static func phrase(for status: Int) -> String {
    switch status {
    case 200: "OK"
    case 206: "Partial Content"
    case 304: "Not Modified"
    case 404: "Not Found"
    case 416: "Range Not Satisfiable"
    default: "Status \(status)"
    }
  }
}

extension LoopbackResponse {
  /// Answers with a file as a careful origin does: 304 for a matching `If-None-Match`, 206 for one
  /// byte range (with `If-Range` only when it names this entity tag), 416 for one that lies outside.
  ///
  /// - Parameter entityTag: With its quotes, for example `"v1"`.
  static func file(
    _ bytes: [UInt8], mediaType: String, entityTag: String, cacheControl: String? = nil,
    for request: LoopbackRequest
  ) -> LoopbackResponse {
    var response = LoopbackResponse(headers: [("ETag", entityTag), ("Accept-Ranges", "bytes")])
    if let cacheControl { response.headers.append(("Cache-Control", cacheControl)) }
    let known = request["if-none-match"]?.split(separator: ",").map {
      $0.drop { $0 == " " }.trimmingWeakPrefix
    }
    if let known, known.contains("*") || known.contains(entityTag[...].trimmingWeakPrefix) {
      response.status = 304
      return response
    }
    response.headers.append(("Content-Type", mediaType))
    guard let range = request["range"], request["if-range"].map({ $0 == entityTag }) ?? true,
      let wanted = ByteRange(range, of: bytes.count)
    else {
      response.body = bytes
      return response
    }
    switch wanted {
    case .outside:
      response.status = 416
      response.headers.append(("Content-Range", "bytes */\(bytes.count)"))
    case .within(let part):
      response.status = 206
      let place = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(bytes.count)"
      response.headers.append(("Content-Range", place))
      response.body = Array(bytes[part])
    }
    return response
  }

  /// One `bytes=` range against a file of a known size; several ranges are ignored, as RFC 9110 allows.
  private enum ByteRange {
    case within(Range<Int>)
    case outside

    init?(_ field: String, of size: Int) {
      guard field.hasPrefix("bytes="), !field.contains(",") else { return nil }
      let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      switch (Int(parts[0]), Int(parts[1])) {
      case (nil, let suffix?) where parts[0].isEmpty && suffix >= 0:
        self = suffix == 0 || size == 0 ? .outside : .within(max(0, size - suffix)..<size)
      case (let first?, nil) where parts[1].isEmpty && first >= 0:
        self = first >= size ? .outside : .within(first..<size)
      case (let first?, let last?) where 0 <= first && first <= last:
        self = first >= size ? .outside : .within(first..<min(last, size - 1) + 1)
      default: return nil
      }
    }
  }
}

extension Substring {
  /// The tag itself: weak comparison ignores `W/` (RFC 9110 §8.8.3.2).
  fileprivate var trimmingWeakPrefix: String {
    let tag = hasPrefix("W/") ? dropFirst(2) : self
    return String(tag.prefix { $0 != " " })
  }
}
