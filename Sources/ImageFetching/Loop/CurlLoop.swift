import ImageModel

/// The thread of a ``CurlEngine``: executes commands, drives libcurl, sends events to the owners.
struct CurlLoop: ~Copyable {
  private let mailbox: CurlMailbox
  private let multi: CurlMulti
  private let maximumTransfers: Int
  private var origins: CurlOrigins
  private var bucket: TokenBucket?
  private var slots: [CurlMailbox.ID: CurlSlot] = [:]
  /// Handles that run nothing, the one used last at the end.
  private var idle: [CurlTransfer] = []
  /// A queue: those before `firstWaiting` have been started.
  private var waiting: [Waiting] = []
  private var firstWaiting = 0
  /// The next part of the body of uploads that wait; one for each at most.
  private var early: [CurlMailbox.ID: ([UInt8]?, CurlMailbox.UploadContinuation)] = [:]
  private var isStopping = false
  private var tickedAt: Int64 = 0
  private var turn = 0
  /// The bytes that the rate limit last allowed; the difference to the remaining ones was used.
  private var granted: Int64 = 0
  private var hasGranted = false

  private struct Waiting {
    let request: TransferRequest
    let id: CurlMailbox.ID
    let continuation: CurlMailbox.Continuation
    let origin: CurlOrigins.Origin
  }

  /// How often limits, meters and slow bodies are looked at: every 100 ms.
  private static let tick: Int64 = 100_000_000
  private static let maximumIdleCount = 64

  static func run(_ configuration: CurlEngine.Configuration, _ mailbox: CurlMailbox) {
    do throws(ImageError) {
      var loop = try CurlLoop(configuration, mailbox)
      loop.work()
    } catch {
      mailbox.close()
    }
  }

  private init(
    _ configuration: CurlEngine.Configuration, _ mailbox: CurlMailbox
  ) throws(ImageError) {
    self.mailbox = mailbox
    maximumTransfers = max(1, configuration.maximumTransfers)
    origins = CurlOrigins(maximumConnections: configuration.maximumConnectionsPerHost)
    multi = try CurlMulti(configuration)
    mailbox.open(multi.waker)
    bucket = configuration.maximumByteRate.map { rate in
      let rate = Double(max(1, rate))
      return TokenBucket(
        rate: rate, capacity: max(rate / 8, 16_384), now: .nanoseconds(CurlTransfer.now()))
    }
  }

  private mutating func work() {
    var commands: [CurlMailbox.Command] = []
    while true {
      mailbox.drain(into: &commands)
      for command in commands { obey(command) }
      if isStopping { break }
      admit()
      refill()
      multi.perform()
      drain()
      serve()
      // A place that became free just now is filled before this thread sleeps: with no exchange in
      // flight, nothing would wake it for those that wait.
      if nextWaiting == nil { wait() }
    }
    end()
  }

  private mutating func obey(_ command: CurlMailbox.Command) {
    switch command {
    case .start(let request, let id, let continuation):
      waiting.append(
        Waiting(
          request: request, id: id, continuation: continuation,
          origin: origins.origin(of: request.url)))
    case .next(let id, let continuation):
      guard let slot = slots[id] else { return }
      slot.continuation = continuation
      if let result = slot.result { deliver(slot, result) }
    case .upload(let id, let bytes, let continuation): upload(id, bytes, continuation)
    case .cancel(let id): cancel(id)
    case .stop: isStopping = true
    }
  }

  private mutating func upload(
    _ id: CurlMailbox.ID, _ bytes: [UInt8]?, _ continuation: CurlMailbox.UploadContinuation
  ) {
    if let slot = slots[id], slot.result == nil, slot.transfer.give(bytes) {
      slot.uploader = continuation
      slot.admitUpload()
    } else if waiting[firstWaiting...].contains(where: { $0.id == id }) {
      early[id] = (bytes, continuation)
    } else {
      continuation.resume(returning: false)
    }
  }

  /// The exchange that starts next; `nil` while none may.
  private var nextWaiting: Int? {
    guard slots.count < maximumTransfers else { return nil }
    return waiting[firstWaiting...].firstIndex { origins.hasRoom($0.origin) }
  }

  private mutating func admit() {
    while let index = nextWaiting {
      let next = waiting[index]
      if index == firstWaiting { firstWaiting += 1 } else { waiting.remove(at: index) }
      start(next)
    }
    // Removed in large pieces, since each moves the rest of the queue.
    if firstWaiting == waiting.count || firstWaiting > 1024 {
      waiting.removeFirst(firstWaiting)
      firstWaiting = 0
    }
  }

  private mutating func start(_ next: Waiting) {
    let (request, id, continuation) = (next.request, next.id, next.continuation)
    guard let transfer = idle.popLast() ?? multi.makeTransfer() else {
      let result = TransferResult(outcome: .outOfMemory, detail: "no memory for a transfer")
      dropEarly(id)
      return continuation.resume(returning: .finished(result))
    }
    guard multi.start(transfer, request) else {
      idle.append(transfer)
      let result = TransferResult(outcome: .badURL, detail: "cannot begin \(request.url)")
      dropEarly(id)
      return continuation.resume(returning: .finished(result))
    }
    slots[id] = CurlSlot(
      id: id, request: request, transfer: transfer, continuation: continuation, origin: next.origin)
    next.origin.exchangeCount += 1
    transfer.tag = id
    if let (bytes, continuation) = early.removeValue(forKey: id) {
      upload(id, bytes, continuation)
    }
  }

  private mutating func cancel(_ id: CurlMailbox.ID) {
    if let slot = slots[id] {
      if slot.result == nil { stop(slot, .cancelled, detail: "") }
    } else if let index = waiting[firstWaiting...].firstIndex(where: { $0.id == id }) {
      let cancelled = waiting.remove(at: index)
      dropEarly(id)
      cancelled.continuation.resume(returning: .cancelled)
    }
  }

  private mutating func dropEarly(_ id: CurlMailbox.ID) {
    early.removeValue(forKey: id)?.1.resume(returning: false)
  }

  private mutating func drain() {
    while let transfer = multi.nextFinished() {
      guard let slot = slots[transfer.tag] else { continue }
      let detail = transfer.outcome == .complete ? "" : transfer.errorText
      finish(slot, transfer.outcome, detail: detail)
    }
  }

  private mutating func stop(_ slot: CurlSlot, _ outcome: TransferResult.Outcome, detail: String) {
    multi.stop(slot.transfer)
    finish(slot, outcome, detail: detail)
  }

  private mutating func finish(
    _ slot: CurlSlot, _ outcome: TransferResult.Outcome, detail: String
  ) {
    slot.advanceMeter()
    let result = slot.makeResult(outcome, detail: detail, now: CurlTransfer.now())
    if idle.count < Self.maximumIdleCount {
      idle.append(slot.transfer)
    } else {
      slot.transfer.free()
    }
    slot.result = result
    slot.origin.exchangeCount -= 1
    if let isMultiplexed = result.isMultiplexed { slot.note(isMultiplexed: isMultiplexed) }
    slot.uploader?.resume(returning: false)
    slot.uploader = nil
    deliver(slot, result)
  }

  /// Sends the end to the owner, now or once the owner has consumed its chunk.
  private mutating func deliver(_ slot: CurlSlot, _ result: TransferResult) {
    guard let continuation = slot.continuation else { return }
    slot.continuation = nil
    slots[slot.id] = nil
    continuation.resume(returning: .finished(result))
  }

  private mutating func serve() {
    let now = CurlTransfer.now()
    let isTick = now - tickedAt >= Self.tick
    if isTick { tickedAt = now }
    guard isTick || slots.values.contains(where: \.needsCare) else { return }
    turn &+= 1
    let running = slots.values.filter { $0.result == nil }
    for offset in running.indices {
      // Beginning elsewhere each time, so that a scarce allowance goes round.
      let slot = running[(offset + turn) % running.count]
      slot.admitUpload()
      if slot.transfer.isMultiplexed { slot.note(isMultiplexed: true) }
      if let event = slot.nextEvent(now: now) {
        slot.continuation?.resume(returning: event)
        slot.continuation = nil
      }
      if slot.isResumable, bucket == nil || multi.allowance > 0 { slot.transfer.resume() }
      guard isTick else { continue }
      slot.advanceMeter()
      if let fault = slot.timeout(now: now) {
        stop(slot, .timedOut, detail: slot.words(for: fault))
      }
    }
  }

  private mutating func refill() {
    guard var bucket else { return }
    bucket.charge(Double(granted - (hasGranted ? multi.allowance : granted)))
    bucket.refill(now: .nanoseconds(CurlTransfer.now()))
    granted = Int64(bucket.tokens)
    hasGranted = true
    multi.allowance = granted
    self.bucket = bucket
  }

  private func wait() {
    var milliseconds: Int64 = slots.isEmpty ? 60_000 : Self.tick / 1_000_000
    if let bucket, multi.allowance <= 0, !slots.isEmpty {
      milliseconds = min(milliseconds, bucket.delay(until: 1).nanoseconds / 1_000_000 + 1)
    }
    guard mailbox.beginWaiting() else { return }
    multi.wait(milliseconds: Int32(milliseconds))
    mailbox.endWaiting()
  }

  private mutating func end() {
    mailbox.close()
    for slot in slots.values where slot.result == nil {
      stop(slot, .cancelled, detail: "the engine stops")
    }
    for id in Array(early.keys) { dropEarly(id) }
    for cancelled in waiting[firstWaiting...] {
      cancelled.continuation.resume(returning: .cancelled)
    }
    for transfer in idle { transfer.free() }
  }
}
