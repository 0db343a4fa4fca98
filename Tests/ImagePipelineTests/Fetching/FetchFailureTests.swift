import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel

@Suite struct `The error of an exchange` {
  private let url = "http://example.org/a.jpg"

  private func error(_ outcome: TransferResult.Outcome, detail: String = "") -> ImageError? {
    FetchFailure.error(for: TransferResult(outcome: outcome, detail: detail), url: url)
  }

  @Test(arguments: [
    (TransferResult.Outcome.badURL, ImageError.Code.invalidURL, "malformed URL"),
    (.nameNotResolved, .nameNotResolved, "no such host"),
    (.proxyNotResolved, .nameNotResolved, "no such host in HTTPFetcher.Configuration.proxy"),
    (.connectionFailed, .connectionFailed, "connection failed"),
    (.tlsFailed, .tlsFailed, "TLS failed"),
    (.timedOut, .timedOut, "timed out"), (.reset, .connectionReset, "the connection broke"),
    (.protocolError, .protocolError, "invalid HTTP response"),
    (.other, .connectionFailed, "transfer failed"),
    (.tooLarge, .tooLarge, "the body is larger than the limit"),
    (.outOfMemory, .outOfMemory, "out of memory"),
  ])
  func `names the URL, the failure and its detail, except of a limit`(
    outcome: TransferResult.Outcome, code: ImageError.Code, text: String
  ) {
    let detailed = error(outcome, detail: "port 80 is closed")
    let detail = [.tooLarge, .outOfMemory].contains(code) ? "" : ": port 80 is closed"
    #expect(detailed?.code == code)
    #expect(error(outcome)?.message == "http://example.org/a.jpg: \(text)")
    #expect(detailed?.message == "http://example.org/a.jpg: \(text)\(detail)")
  }

  @Test func `of a short body has its length, and the announced one if known`() {
    var result = TransferResult(outcome: .shortBody, detail: "x", receivedByteCount: 10)
    #expect(
      FetchFailure.error(for: result, url: url)?.message
        == "http://example.org/a.jpg: the body ended after 10 bytes")

    result.contentLength = 99
    #expect(
      FetchFailure.error(for: result, url: url)?.message
        == "http://example.org/a.jpg: the body ended after 10 of 99 bytes")
  }

  @Test(
    arguments: [
      ("0", Duration.seconds(0)), (" 12 ", .seconds(12)), ("-1", nil), ("1.5", nil), ("soon", nil),
      ("", nil), ("Sun, 06 Nov 1994 08:50:37 GMT", .seconds(60)),
      ("Sun, 06 Nov 1994 08:48:37 GMT", .seconds(0)),
    ] as [(String, Duration?)])
  func `has the wait of Retry-After, a date counted from the response's Date`(
    value: String, wait: Duration?
  ) {
    let fields: HTTPFields = [.retryAfter: value, .date: "Sun, 06 Nov 1994 08:49:37 GMT"]

    let error = FetchFailure.error(forStatus: 503, fields: fields, url: url)

    #expect(error.message == "http://example.org/a.jpg: the server answered 503")
    #expect(error.retryAfter == wait)
  }
}
