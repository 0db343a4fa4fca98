import HTTPTypes
import NIOCore
import TextEncodings

/// Why a request is not answered as it wished: a problem object of RFC 9457.
///
/// What it says to a client is fixed text: nothing of the inside, no address, no path.
struct Problem: Error, Sendable, Hashable {
  let status: HTTPResponse.Status
  /// For programs: stable, in lower case with underscores.
  let code: String
  /// For people, in one sentence.
  let detail: String
  /// Seconds after which it may be tried again.
  var retryAfter: Int?
  /// The methods that the resource knows, where another one was used.
  var allow: String?

  init(
    _ status: HTTPResponse.Status, _ code: String, _ detail: String, retryAfter: Int? = nil,
    allow: String? = nil
  ) {
    self.status = status
    self.code = code
    self.detail = detail
    self.retryAfter = retryAfter
    self.allow = allow
  }

  /// The object, with the end of its line.
  var json: String {
    let object: JSONLine = [
      "type": "about:blank", "title": status.reasonPhrase, "status": status.code, "code": code,
      "detail": detail,
    ]
    return "\(object)\n"
  }

  /// The answer that carries it; never kept by anybody.
  var answer: Answer {
    var fields: HTTPFields = [
      .contentType: "application/problem+json", .cacheControl: "no-store",
    ]
    if let retryAfter { fields[.retryAfter] = String(retryAfter) }
    if let allow { fields[.allow] = allow }
    return Answer(status: status, fields: fields, body: .bytes(ByteBuffer(string: json)))
  }
}

extension Problem {
  static let notFound = Problem(.notFound, "no_such_page", "There is nothing at this path.")

  /// A method that the resource does not know.
  static func method(allowed: String) -> Problem {
    Problem(
      .methodNotAllowed, "method_not_allowed", "This path does not know the method.",
      allow: allowed)
  }

  static let busy = Problem(
    .serviceUnavailable, "saturated", "The server has too much to do; try again shortly.",
    retryAfter: 1)

  static let forbidden = Problem(
    .forbidden, "host_not_allowed", "Images from this address are not served.")
}
