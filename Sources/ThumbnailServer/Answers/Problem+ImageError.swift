import ImagePipeline

extension Problem {
  /// What a client is told of a failure of the pipeline.
  init(_ error: ImageError) {
    switch error.code {
    case .invalidURL:
      self.init(.badRequest, error.code.rawValue, "The url is no http or https URL.")
    case .unsupportedScheme:
      // The client's own was looked at before: this is where a redirect leads.
      self.init(
        .badGateway, error.code.rawValue, "The origin leads to what is no http or https URL.")
    case .invalidArgument:
      self.init(.badRequest, error.code.rawValue, "The parameters make no sense for this image.")
    case .hostNotAllowed: self = .forbidden
    case .notCached:
      self.init(.notFound, error.code.rawValue, "The image is not in the cache.")
    case .httpStatus where error.status == 404 || error.status == 410:
      self.init(.notFound, "origin_not_found", "The origin has no such image.")
    case .httpStatus where error.status == 429 || error.status == 503:
      self.init(
        .serviceUnavailable, "origin_busy", "The origin asks to be left alone for a while.",
        retryAfter: Self.seconds(error.retryAfter) ?? 30)
    case .httpStatus:
      self.init(.badGateway, error.code.rawValue, "The origin answered with an error.")
    case .tooLarge, .limitExceeded:
      self.init(.contentTooLarge, error.code.rawValue, "The image is larger than the limits allow.")
    case .notAnImage, .unsupportedFormat:
      self.init(
        .unsupportedMediaType, error.code.rawValue,
        "The origin's answer is no image of a known kind.")
    case .truncated, .corrupt:
      self.init(
        .unprocessableContent, error.code.rawValue, "The image is damaged and cannot be decoded.")
    case .timedOut:
      self.init(.gatewayTimeout, error.code.rawValue, "The origin took too long.")
    case .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .tooManyRedirects,
      .shortBody, .emptyBody, .protocolError:
      self.init(.badGateway, error.code.rawValue, "The origin could not be reached, or broke off.")
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
