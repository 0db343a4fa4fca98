import ImageModel

/// One exchange in flight; belongs to the thread of its engine.
final class CurlSlot {
  let id: CurlMailbox.ID
  let request: TransferRequest
  let transfer: CurlTransfer
  let origin: CurlOrigins.Origin
  /// Waits for the next event; `nil` while a chunk is being used up.
  var continuation: CurlMailbox.Continuation?
  var uploader: CurlMailbox.UploadContinuation?
  private var hasHandedHead = false
  private var isProtocolKnown = false
  /// The end, kept while the owner is busy with a chunk.
  var result: TransferResult?
  private var chunkAt: Int64
  private var clock: TransferClock
  private var metered = (received: 0, wasSent: false)

  init(
    id: CurlMailbox.ID, request: TransferRequest, transfer: CurlTransfer,
    continuation: CurlMailbox.Continuation, origin: CurlOrigins.Origin
  ) {
    self.id = id
    self.origin = origin
    self.request = request
    self.transfer = transfer
    self.continuation = continuation
    chunkAt = transfer.addedAt
    clock = TransferClock(limits: request.limits)
  }

  func timeout(now: Int64) -> TransferClock.Fault? {
    clock.check(
      now: now, addedAt: transfer.addedAt, connectingAt: transfer.connectingAt,
      sentAt: transfer.sentAt,
      movedByteCount: transfer.receivedByteCount + transfer.uploadedByteCount,
      isPaused: transfer.isPaused || awaitsBody)
  }

  private var awaitsBody: Bool {
    request.passage?.body != nil && !transfer.isBodyGiven && transfer.unsentByteCount == 0
  }

  func admitUpload() {
    guard let waiting = uploader, hasRoomForUpload else { return }
    uploader = nil
    waiting.resume(returning: true)
  }

  var hasRoomForUpload: Bool { transfer.unsentByteCount < request.bufferLimit }

  /// Whether the owner waits for an event and there is one, besides a slow chunk.
  private var hasEvent: Bool {
    guard continuation != nil else { return false }
    guard request.passage != nil else { return request.handsOver && isHalfFull }
    return transfer.hasInterim
      || transfer.isHeadWhole && (!hasHandedHead || transfer.bufferedByteCount > 0)
  }

  private var isHalfFull: Bool { transfer.bufferedByteCount >= request.bufferLimit / 2 }

  /// The next event for an owner that waits: of an exchange that is passed through what has
  /// arrived, of others a chunk where the body is long, half the limit, or 200 ms after the start
  /// or the last one.
  func nextEvent(now: Int64) -> TransferEvent? {
    if request.passage != nil {
      guard hasEvent else { return nil }
      if transfer.hasInterim { return .interim(transfer.drainInterim()) }
      if hasHandedHead {
        return .chunk(status: transfer.status, head: [], bytes: transfer.drainBody())
      }
      hasHandedHead = true
      return .head(status: transfer.status, head: transfer.head)
    }
    guard request.handsOver, continuation != nil, transfer.bufferedByteCount > 0,
      isHalfFull || transfer.isPaused || now - chunkAt >= 200_000_000
    else { return nil }
    chunkAt = now
    return .chunk(status: transfer.status, head: transfer.head, bytes: transfer.drainBody())
  }

  var needsCare: Bool {
    result == nil
      && (transfer.isPaused || hasEvent || uploader != nil && hasRoomForUpload
        || transfer.isMultiplexed && !isProtocolKnown)
  }

  func note(isMultiplexed: Bool) {
    guard !isProtocolKnown else { return }
    isProtocolKnown = true
    origin.isMultiplexed = isMultiplexed
    request.protocolKnown?(isMultiplexed)
  }

  func words(for fault: TransferClock.Fault) -> String {
    switch fault {
    case .connecting: "no connection within \(request.limits.connectTime)"
    case .tooSlow:
      "fewer than \(request.limits.lowSpeedByteCount) bytes in \(request.limits.lowSpeedTime)"
    case .inAll: "not done within \(request.limits.totalTime)"
    }
  }

  /// Whether the transfer is paused and could go on as far as its own buffer is concerned.
  var isResumable: Bool {
    transfer.isPaused
      && (!request.handsOver || transfer.bufferedByteCount <= request.bufferLimit / 2)
  }

  func advanceMeter() {
    guard let meter = request.meter else { return }
    let received = transfer.receivedByteCount
    let wasSent = transfer.sentAt != 0
    guard received != metered.received || wasSent != metered.wasSent else { return }
    meter.update { [metered] reading in
      reading.requestCount += wasSent && !metered.wasSent ? 1 : 0
      reading.receivedByteCount += received - metered.received
    }
    metered = (received, wasSent)
  }

  /// The result of the exchange: as reported by libcurl, or as `outcome` specifies.
  func makeResult(_ outcome: TransferResult.Outcome, detail: String, now: Int64) -> TransferResult {
    TransferResult(
      outcome: outcome, detail: detail, failure: transfer.failure, status: transfer.status,
      head: transfer.head, isHeadWhole: transfer.isHeadWhole, interim: transfer.drainInterim(),
      body: transfer.drainBody(), receivedByteCount: transfer.receivedByteCount,
      cookies: transfer.cookies, contentLength: transfer.contentLength,
      wasSent: transfer.sentAt != 0, sinceSent: transfer.sentAt == 0 ? 0 : now - transfer.sentAt,
      sinceHead: transfer.headAt == 0 ? 0 : now - transfer.headAt)
  }
}
