import ImageModel

/// How one exchange of the ``CurlEngine`` ended, and what came.
struct TransferResult: Sendable {
  enum Outcome: Sendable, Hashable {
    case complete, badURL, nameNotResolved, proxyNotResolved, connectionFailed, addressRefused
    case tlsFailed, timedOut, reset, shortBody, tooLarge, protocolError, outOfMemory, cancelled
    case other
  }

  var outcome: Outcome
  var detail = ""
  var failure: CurlFailure?
  /// 0 when no head came.
  var status = 0
  var head: [UInt8] = []
  var isHeadWhole = false
  var interim: [UInt8] = []
  var body: [UInt8] = []
  var receivedByteCount = 0
  /// The request's cookies with those of the response, in libcurl's format.
  var cookies: [[UInt8]] = []
  var contentLength: Int?
  var wasSent = false
  /// Nanoseconds from the end back to when the request was sent, and to when the head had arrived.
  var sinceSent: Int64 = 0
  var sinceHead: Int64 = 0
  var endedAt = ContinuousClock.now

  /// Whether the response came over HTTP/2, whose connections carry many exchanges at once; `nil`
  /// without one.
  var isMultiplexed: Bool? { head.isEmpty ? nil : head.starts(with: "HTTP/2".utf8) }

  /// Whether it timed out before any byte of the response.
  var wasSilent: Bool { outcome == .timedOut && head.isEmpty && interim.isEmpty }
}

/// An error that libcurl reported; the cause of an `ImageError`.
struct CurlFailure: LocalizedError, Hashable, CustomStringConvertible {
  let code: Int32
  let description: String
  var errorDescription: String? { description }
}

/// An event that the ``CurlEngine`` sends to the owner of a transfer.
enum TransferEvent: Sendable {
  /// Bytes of the body of a response whose head has arrived; more follow on request.
  case chunk(status: Int, head: [UInt8], bytes: [UInt8])
  /// Of a passage: heads of interim answers, one behind the other.
  case interim([UInt8])
  /// Of a passage: the head of the answer.
  case head(status: Int, head: [UInt8])
  case finished(TransferResult)

  static var cancelled: TransferEvent { .finished(TransferResult(outcome: .cancelled)) }
}
