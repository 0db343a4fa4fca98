public import HTTPTypes
import NIOHTTP1

/// A request on its way through the routes.
public struct RoutedRequest: Sendable {
  /// Its head.
  public let head: HTTPRequest
  /// Its body.
  public let body: RequestBody

  /// The method.
  public var method: HTTPRequest.Method { head.method }
  /// The fields, without `Host`.
  public var fields: HTTPFields { head.headerFields }
  /// The path and query, as in the request line.
  public var target: String { head.path ?? "" }
  /// The path, as in the request line.
  public var path: Substring { target.prefix { $0 != "?" } }
  /// The query, as in the request line; `nil` for none.
  public var query: Substring? {
    target.firstIndex(of: "?").map { target[target.index(after: $0)...] }
  }
  /// The steps of the path, as in the request line.
  public var steps: [Substring] { path.split(separator: "/") }

  /// A step of the path, the first being 0; empty where there is none.
  public func step(_ number: Int) -> String {
    let steps = steps
    return steps.count > number ? String(steps[number]) : ""
  }
}

extension RoutedRequest {
  /// Whether `Accept` gives one media type more weight than another (RFC 9110 §12.5.1); it does not
  /// where it is absent.
  public func prefers(_ type: String, to other: String) -> Bool {
    let weights = HTTPFields.weights(ofAccept: fields[values: .accept])
    func weight(_ type: String) -> Double {
      weights[type] ?? weights["\(type.prefix { $0 != "/" })/*"] ?? weights["*/*"] ?? 0
    }
    return weight(type) > weight(other)
  }
}

extension RoutedRequest {
  init(_ received: HTTPRequestHead, _ body: RequestBody) {
    var fields = HTTPFields()
    var host: String?
    for (name, value) in received.headers {
      guard let name = HTTPField.Name(name) else { continue }
      if name.canonicalName == "host" {
        host = value
      } else {
        fields.append(.init(name: name, value: value))
      }
    }
    head = HTTPRequest(
      method: HTTPRequest.Method(received.method.rawValue) ?? .get, scheme: "http",
      authority: host, path: received.uri, headerFields: fields)
    self.body = body
  }

  /// - Throws: ``Problem`` 413 for more bytes than the maximum, or ``RequestBody/Incomplete``.
  func wholeBody(upTo maximum: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await body.next() {
      bytes += piece
      guard bytes.count <= maximum else { throw Problem.bodyTooLarge(maximum) }
    }
    return bytes
  }
}
