package import HTTPTypes
package import ImageModel

package enum FetchFailure {
  /// Returns the error of an exchange that failed; `nil` if it did not, regardless of its status.
  static func error(for result: TransferResult, url: String) -> ImageError? {
    func failure(_ code: ImageError.Code, _ text: String, hasDetail: Bool = true) -> ImageError {
      let detail = hasDetail && !result.detail.isEmpty ? ": \(result.detail)" : ""
      return ImageError(code, "\(url): \(text)\(detail)", url: url, cause: result.failure)
    }
    switch result.outcome {
    case .complete: return nil
    case .badURL: return failure(.invalidURL, "malformed URL")
    case .nameNotResolved: return failure(.nameNotResolved, "no such host")
    case .proxyNotResolved:
      return failure(.nameNotResolved, "no such host in HTTPFetcher.Configuration.proxy")
    case .connectionFailed: return failure(.connectionFailed, "connection failed")
    case .addressRefused: return privateAddress(url, url: url)
    case .tlsFailed: return failure(.tlsFailed, "TLS failed")
    case .timedOut: return failure(.timedOut, "timed out")
    case .reset: return failure(.connectionReset, "the connection broke")
    case .shortBody:
      let length = result.contentLength.map { " of \($0)" } ?? ""
      return failure(
        .shortBody, "the body ended after \(result.receivedByteCount)\(length) bytes",
        hasDetail: false)
    case .tooLarge: return failure(.tooLarge, "the body is larger than the limit", hasDetail: false)
    case .protocolError: return failure(.protocolError, "invalid HTTP response")
    case .outOfMemory: return failure(.outOfMemory, "out of memory", hasDetail: false)
    case .cancelled, .other: return failure(.connectionFailed, "transfer failed")
    }
  }

  package static func error(
    forStatus status: Int, fields: HTTPFields, url: String
  ) -> ImageError {
    ImageError(
      .httpStatus, "\(url): the server answered \(status)", url: url, status: status,
      retryAfter: retryAfter(in: fields),
      head: ResponseHead(url: url, status: status, fields: fields))
  }

  static func privateAddress(_ hop: String, url: String) -> ImageError {
    ImageError(
      .hostNotAllowed,
      "\(hop) leads to a private, loopback or reserved address; HostGuard.allowsPrivateNetworks permits it",
      url: url)
  }

  /// The wait that a `Retry-After` specifies: seconds, or a date compared with the response's own
  /// `Date`, else with this machine's. Numbers beyond 2^31 count as that (RFC 9111 §1.2.2).
  static func retryAfter(in fields: HTTPFields, now: Date = Date()) -> Duration? {
    guard let value = fields[.retryAfter]?.trimmingBlanks else { return nil }
    if !value.isEmpty, value.utf8.allSatisfy({ (48...57).contains($0) }) {
      return .seconds(min(Int64(value) ?? .max, 1 << 31))
    }
    guard let until = HTTPDate.parse(value) else { return nil }
    let now = fields[.date].flatMap { HTTPDate.parse($0) } ?? now
    return .seconds(max(0, until.timeIntervalSince(now)))
  }
}
