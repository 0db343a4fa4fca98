/// How one exchange of the ``CurlEngine`` ended, and what came.
struct TransferResult: Sendable {
  /// How it ended. `complete` says nothing about the status.
  enum Outcome: Sendable, Hashable {
    case complete, badURL, nameNotResolved, connectionFailed, addressRefused, tlsFailed, timedOut
    case reset, shortBody, tooLarge, protocolError, outOfMemory, cancelled, other
  }

  var outcome: Outcome
  /// Details for people; may be empty.
  var detail = ""
  /// What libcurl reported, if it ended the exchange.
  var failure: CurlFailure?
  /// 0 when no head came.
  var status = 0
  /// The status line and the fields as they came.
  var head: [UInt8] = []
  /// Whether the head was there to its end.
  var isHeadWhole = false
  /// Heads of interim answers that were not handed over before.
  var interim: [UInt8] = []
  /// What was not handed over before.
  var body: [UInt8] = []
  /// Bytes of the body in all.
  var receivedByteCount = 0
  /// As announced.
  var contentLength: Int?
  /// Whether a request went out.
  var wasSent = false
  /// Nanoseconds from the end back to when the request went out, and to when the head was there.
  var sinceSent: Int64 = 0
  var sinceHead: Int64 = 0
  /// The end.
  var endedAt = ContinuousClock.now
}

/// An error that libcurl reported; the cause of an ``ImageError``.
struct CurlFailure: Error, Hashable, CustomStringConvertible {
  /// The `CURLcode`.
  let code: Int32
  let description: String
}

/// What the ``CurlEngine`` tells the owner of a transfer.
enum TransferEvent: Sendable {
  /// Bytes of the body of an answer whose head is here; more come when asked for.
  case chunk(status: Int, head: [UInt8], bytes: [UInt8])
  /// Of a passage: heads of interim answers, one behind the other.
  case interim([UInt8])
  /// Of a passage: the head of the answer.
  case head(status: Int, head: [UInt8])
  /// The end. Nothing comes after it.
  case finished(TransferResult)
}
