import HTTPListening
import ImageFeeds
import ImageModel

extension Problem {
  static let forbidden = Problem(
    .forbidden, "host_not_allowed", "Images from this address are not served.")

  /// The problem that a failure of the pipeline is to a client.
  init(_ error: ImageError) {
    let code = error.code.rawValue
    switch error.code {
    case .invalidURL:
      self.init(.badRequest, code, "The url is not an http, https or s3 URL.")
    case .unsupportedScheme:
      // The client's own URL was checked before: this is the target of a redirect.
      self.init(.badGateway, code, "The origin redirects to something other than http or https.")
    case .invalidArgument:
      self.init(.badRequest, code, "The parameters are not valid for this image.")
    case .hostNotAllowed: self = .forbidden
    case .redirectNotAllowed:
      self.init(.forbidden, code, "The origin redirects to a host that is not allowed.")
    case .notCached:
      self.init(.notFound, code, "The image is not in the cache.")
    case .httpStatus where error.status == 404 || error.status == 410:
      self.init(.notFound, "origin_not_found", "The origin does not have this image.")
    case .httpStatus where error.status == 429 || error.status == 503:
      self.init(
        .serviceUnavailable, "origin_busy", "The origin is overloaded.",
        retryAfter: Self.seconds(error.retryAfter) ?? 30)
    case .httpStatus:
      self.init(.badGateway, code, "The origin responded with an error.")
    case .tooLarge, .limitExceeded:
      self.init(.contentTooLarge, code, "The image is larger than the limits allow.")
    case .notAnImage, .unsupportedFormat:
      self.init(
        .unsupportedMediaType, code, "The origin's response is not an image in a supported format.")
    case .truncated, .corrupt:
      self.init(.unprocessableContent, code, "The image is damaged and cannot be decoded.")
    case .timedOut:
      self.init(.gatewayTimeout, code, "The origin took too long.")
    case .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .tooManyRedirects,
      .shortBody, .emptyBody, .protocolError:
      self.init(.badGateway, code, "The origin could not be reached, or the transfer failed.")
    case .saturated: self = .busy
    case .sharedTierFailed:
      self.init(
        .serviceUnavailable, code,
        "Purged on this server; the purge has not reached the shared tier yet.",
        retryAfter: 5)
    case .outOfMemory, .invalidated:
      self.init(
        .serviceUnavailable, code, "The server is out of memory or stopping.", retryAfter: 5)
    case .dayNotFound:
      self.init(.notFound, code, "There is no such day.")
    case .notJSON, .notAFeed:
      self.init(.badGateway, code, "The feed's response cannot be read.")
    case .cacheFull, .diskFull, .cacheUnusable, .storeFailed, .fileUnreadable:
      self.init(.internalServerError, code, "The server's cache failed.")
    default:
      // Not a code this server knows: nothing is promised, neither that the origin is to blame nor
      // that another attempt helps.
      self.init(.internalServerError, code, "The server failed.")
    }
  }

  private static func seconds(_ duration: Duration?) -> Int? {
    duration.map { max(1, Int(min($0, .seconds(Int64.max)).components.seconds)) }
  }
}
