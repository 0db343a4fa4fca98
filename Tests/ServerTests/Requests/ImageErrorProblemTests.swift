import HTTPTypes
import ImageFeeds
import ImageModel
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `The problem object of a failed load` {
  /// The last number is the seconds until the next attempt, where the server itself is short.
  private static let rows: [([ImageError.Code], Int, String, Int?)] = [
    ([.saturated], 503, "The server is overloaded; try again shortly.", 1),
    (
      [.sharedTierFailed], 503,
      "Purged on this server; the purge has not reached the shared tier yet.", 5
    ), ([.outOfMemory, .invalidated], 503, "The server is out of memory or stopping.", 5),
    ([.invalidURL], 400, "The url is not an http, https, s3 or local URL.", nil),
    ([.unsupportedScheme], 502, "The origin redirects to something other than http or https.", nil),
    (
      [.invalidArgument], 400,
      "The parameters do not fit this image, such as a crop or a frame outside it.", nil
    ),
    ([.redirectNotAllowed], 403, "The origin redirects to a host that is not allowed.", nil),
    ([.hostNotAllowed], 403, "Images from this address are not served.", nil),
    ([.notCached], 404, "The image is not in the cache.", nil),
    ([.tooLarge, .limitExceeded], 413, "The image is larger than the limits allow.", nil),
    (
      [.notAnImage, .unsupportedFormat], 415,
      "The origin's response is not an image in a supported format.", nil
    ), ([.truncated, .corrupt], 422, "The image is damaged and cannot be decoded.", nil),
    ([.timedOut], 504, "The origin took too long.", nil),
    (
      [
        .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .tooManyRedirects,
        .shortBody, .emptyBody, .protocolError,
      ], 502, "The origin could not be reached, or the transfer failed.", nil
    ), ([.dayNotFound], 404, "There is no such day.", nil),
    ([.notJSON, .notAFeed], 502, "The feed's response cannot be read.", nil),
    (
      [.cacheFull, .diskFull, .cacheUnusable, .storeFailed, .fileUnreadable], 500,
      "The server's cache failed.", nil
    ), ([ImageError.Code(rawValue: "of_the_future")], 500, "The server failed.", nil),
  ]

  @Test(arguments: rows)
  func `has the documented status and a fixed sentence`(
    codes: [ImageError.Code], status: Int, detail: String, seconds: Int?
  ) {
    for code in codes {
      let problem = Problem(ImageError(code, "secret of /var/cache and 10.0.0.7"))

      #expect(problem.status.code == status && problem.code == code.rawValue)
      #expect(problem.detail == detail && problem.retryAfter == seconds)
    }
  }

  @Test(arguments: [
    (404, 404, "origin_not_found", "The origin does not have this image."),
    (410, 404, "origin_not_found", "The origin does not have this image."),
    (400, 502, "http_status", "The origin responded with an error."),
    (403, 502, "http_status", "The origin responded with an error."),
    (500, 502, "http_status", "The origin responded with an error."),
  ])
  func `tells a missing image from another error of the origin`(
    origin: Int, status: Int, code: String, detail: String
  ) {
    let problem = Problem(ImageError(.httpStatus, "status \(origin)", status: origin))

    #expect(problem.status.code == status)
    #expect(problem.code == code)
    #expect(problem.detail == detail)
    #expect(problem.retryAfter == nil)
  }

  @Test(
    arguments: [429, 503],
    [
      (nil, 30), (Duration.zero, 1), (.milliseconds(300), 1), (.seconds(1), 1), (.seconds(12), 12),
      (.seconds(86_400), 86_400),
    ])
  func `passes on when a busy origin wants the next attempt, at least 1 second later`(
    origin: Int, times: (wanted: Duration?, sent: Int)
  ) {
    let problem = Problem(
      ImageError(.httpStatus, "busy", status: origin, retryAfter: times.wanted))

    #expect(problem.status == .serviceUnavailable)
    #expect(problem.code == "origin_busy")
    #expect(problem.retryAfter == times.sent)
    #expect(problem.fields[.retryAfter] == "\(times.sent)")
  }
}
