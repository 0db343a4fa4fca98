#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTTPTypes

/// Says in our words why an exchange brought no answer that is of use.
enum FetchFailure {
  /// The error for an exchange that did not end well; `nil` for one that did, whatever its status.
  static func error(for result: TransferResult, url: String) -> ImageError? {
    let reason = result.detail.isEmpty ? "" : ": \(result.detail)"
    switch result.outcome {
    case .complete: return nil
    case .badURL: return ImageError(.invalidURL, "cannot read the URL \(url)\(reason)")
    case .nameNotResolved: return ImageError(.nameNotResolved, "\(url): no such host\(reason)")
    case .connectionFailed: return ImageError(.connectionFailed, "\(url): no connection\(reason)")
    case .addressRefused: return notAllowed(url)
    case .tlsFailed: return ImageError(.tlsFailed, "\(url): TLS failed\(reason)")
    case .timedOut: return ImageError(.timedOut, "\(url): gave up\(reason)")
    case .reset: return ImageError(.connectionReset, "\(url): the connection broke\(reason)")
    case .shortBody:
      let length = result.contentLength.map { " of \($0)" } ?? ""
      return ImageError(
        .shortBody, "\(url): the body ended after \(result.receivedByteCount)\(length) bytes")
    case .tooLarge: return ImageError(.tooLarge, "\(url): the body is larger than the limit")
    case .protocolError: return ImageError(.protocolError, "\(url): invalid HTTP response\(reason)")
    case .outOfMemory: return ImageError(.outOfMemory, "\(url): no memory")
    case .cancelled, .other: return ImageError(.connectionFailed, "\(url): failed\(reason)")
    }
  }

  /// The error for a status that is not wanted.
  static func error(forStatus status: Int, fields: HTTPFields, url: String) -> ImageError {
    ImageError(
      .httpStatus, "\(url): the server answered \(status)", status: status,
      retryAfter: retryAfter(in: fields),
      head: ResponseHead(url: url, status: status, fields: fields))
  }

  /// The error for an address that may not be reached.
  static func notAllowed(_ url: String) -> ImageError {
    ImageError(
      .hostNotAllowed,
      "\(url) leads to a private, loopback or reserved address; --allow-private-network permits it")
  }

  /// The wait that a `Retry-After` asks for: seconds, or a date held against the answer's own
  /// `Date`.
  static func retryAfter(in fields: HTTPFields) -> Duration? {
    guard let value = fields[.retryAfter]?.trimmingBlanks else { return nil }
    if let seconds = Int64(value) { return seconds >= 0 ? .seconds(seconds) : nil }
    guard let until = HTTPDate.parse(value), let now = fields[.date].flatMap({ HTTPDate.parse($0) })
    else { return nil }
    return .seconds(max(0, until.timeIntervalSince(now)))
  }
}
