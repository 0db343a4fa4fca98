import HTTPListening
import ImagePipeline
import NIOCore

extension Problem {
  static let notFound = Problem(.notFound, "no_such_page", "There is nothing at this path.")

  static let forbidden = Problem(
    .forbidden, "host_not_allowed", "Images from this address are not served.")

  static let failed = Problem(.internalServerError, "failed", "The server failed.")

  /// A method that the resource does not allow.
  static func method(allowed: String) -> Problem {
    Problem(
      .methodNotAllowed, "method_not_allowed", "This path does not allow the method.",
      allow: allowed)
  }

  /// The response that carries it.
  var answer: Answer {
    Answer(status: status, fields: fields, body: .bytes(ByteBuffer(string: json)))
  }

  /// The problem that a failure of the pipeline is to a client.
  init(_ error: ImageError) {
    switch error.code {
    case .invalidURL:
      self.init(.badRequest, error.code.rawValue, "The url is not an http or https URL.")
    case .unsupportedScheme:
      // The client's own URL was checked before: this is the target of a redirect.
      self.init(
        .badGateway, error.code.rawValue,
        "The origin redirects to a URL that is neither http nor https.")
    case .invalidArgument:
      self.init(.badRequest, error.code.rawValue, "The parameters are not valid for this image.")
    case .hostNotAllowed: self = .forbidden
    case .notCached:
      self.init(.notFound, error.code.rawValue, "The image is not in the cache.")
    case .httpStatus where error.status == 404 || error.status == 410:
      self.init(.notFound, "origin_not_found", "The origin has no such image.")
    case .httpStatus where error.status == 429 || error.status == 503:
      self.init(
        .serviceUnavailable, "origin_busy", "The origin is busy and asks to try again later.",
        retryAfter: Self.seconds(error.retryAfter) ?? 30)
    case .httpStatus:
      self.init(.badGateway, error.code.rawValue, "The origin answered with an error.")
    case .tooLarge, .limitExceeded:
      self.init(.contentTooLarge, error.code.rawValue, "The image is larger than the limits allow.")
    case .notAnImage, .unsupportedFormat:
      self.init(
        .unsupportedMediaType, error.code.rawValue,
        "The origin's response is not an image of a supported format.")
    case .truncated, .corrupt:
      self.init(
        .unprocessableContent, error.code.rawValue, "The image is damaged and cannot be decoded.")
    case .timedOut:
      self.init(.gatewayTimeout, error.code.rawValue, "The origin took too long.")
    case .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .tooManyRedirects,
      .shortBody, .emptyBody, .protocolError:
      self.init(
        .badGateway, error.code.rawValue,
        "The origin could not be reached, or the connection broke.")
    case .saturated: self = .busy
    case .outOfMemory, .invalidated:
      self.init(
        .serviceUnavailable, error.code.rawValue, "The server cannot do this now.", retryAfter: 5)
    case .dayNotFound:
      self.init(.notFound, error.code.rawValue, "There is no such day.")
    case .notJSON, .notAFeed:
      self.init(.badGateway, error.code.rawValue, "The feed's answer cannot be read.")
    case .cacheFull, .diskFull, .cacheUnusable, .storeFailed, .cannotListen, .fileUnreadable:
      self.init(.internalServerError, error.code.rawValue, "The server's cache failed.")
    }
  }

  private static func seconds(_ duration: Duration?) -> Int? {
    duration.map { max(1, Int($0.components.seconds)) }
  }
}
