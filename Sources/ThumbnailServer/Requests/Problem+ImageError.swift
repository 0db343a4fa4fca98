import HTTPListening
import HTTPTypes
import ImageFeeds
import ImageModel

extension Problem {
  static let forbidden = Problem(
    .forbidden, "host_not_allowed", "Images from this address are not served.")

  static let invalidURL = Problem(
    .badRequest, "invalid_url", "The url is not an http, https, s3 or local URL."
  ).about("url")

  static let badSignature = Problem(
    .forbidden, "bad_signature", "The signature is missing, wrong or expired.")

  static func badParameter(_ name: String, _ detail: String) -> Problem {
    Problem(.badRequest, "bad_parameter", detail).about(name)
  }

  init(_ error: ImageError) {
    switch error.code {
    case .hostNotAllowed: self = .forbidden
    case .invalidURL: self = .invalidURL
    case .saturated: self = .busy
    case .sharedTierFailed: self = .tierNotPurged
    case .httpStatus where error.status == 404 || error.status == 410:
      self.init(.notFound, "origin_not_found", "The origin does not have this image.")
    case .httpStatus where error.status == 429 || error.status == 503:
      self.init(
        .serviceUnavailable, "origin_busy", "The origin is overloaded.",
        retryAfter: Self.seconds(error.retryAfter) ?? 30)
    default:
      let (status, detail) = Self.meaning(of: error.code)
      self.init(
        status, error.code.rawValue, detail, retryAfter: status == .serviceUnavailable ? 5 : nil)
    }
  }

  private static func meaning(of code: ImageError.Code) -> (HTTPResponse.Status, String) {
    switch code {
    // The client's own URL was checked before: this is the target of a redirect.
    case .unsupportedScheme:
      (.badGateway, "The origin redirects to something other than http or https.")
    case .invalidArgument:
      (.badRequest, "The parameters do not fit this image, such as a crop or a frame outside it.")
    case .redirectNotAllowed: (.forbidden, "The origin redirects to a host that is not allowed.")
    case .notCached: (.notFound, "The image is not in the cache.")
    case .httpStatus: (.badGateway, "The origin responded with an error.")
    case .tooLarge, .limitExceeded:
      (.contentTooLarge, "The image is larger than the limits allow.")
    case .notAnImage, .unsupportedFormat:
      (.unsupportedMediaType, "The origin's response is not an image in a supported format.")
    case .truncated, .corrupt:
      (.unprocessableContent, "The image is damaged and cannot be decoded.")
    case .timedOut: (.gatewayTimeout, "The origin took too long.")
    case .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .tooManyRedirects,
      .shortBody, .emptyBody, .protocolError:
      (.badGateway, "The origin could not be reached, or the transfer failed.")
    case .outOfMemory, .invalidated:
      (.serviceUnavailable, "The server is out of memory or stopping.")
    case .dayNotFound: (.notFound, "There is no such day.")
    case .notJSON, .notAFeed: (.badGateway, "The feed's response cannot be read.")
    case .cacheFull, .diskFull, .cacheUnusable, .storeFailed, .fileUnreadable:
      (.internalServerError, "The server's cache failed.")
    // Not a code this server knows: nothing is promised, neither that the origin is to blame nor
    // that another attempt helps.
    default: (.internalServerError, "The server failed.")
    }
  }

  private static func seconds(_ duration: Duration?) -> Int? {
    duration.map { max(1, Int(min($0, .seconds(Int64.max)).components.seconds)) }
  }
}
