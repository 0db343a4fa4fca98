import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageModel
import NIOCore
import NIOHTTP1
import TextEncodings

/// Answers one request: decides, then delivers from the store, joins a request in flight, or sends
/// one to the origin.
struct ProxyResponder: RequestResponding {
  private typealias Question = HTTPCache<StreamingEntry>.Question

  let services: ProxyServices

  func respond(
    to head: HTTPRequestHead, _ body: RequestBody, _ writer: ResponseWriter
  ) async throws {
    try await respond(
      to: ProxyRequest(
        head, body: body, services.keys, services.forwarded, from: ConnectionPresence.current),
      writer)
  }

  private func respond(to request: ProxyRequest, _ writer: ResponseWriter) async throws {
    guard !services.via.isCircular(request.fields) else {
      return try await refuse(
        Problem(.init(code: 508), "loop_detected", "Loop detected: Via names this proxy"), writer)
    }
    if request.method == "PURGE" { return try await purge(request, writer) }
    let received = request
    guard let request = received.forwarded else {
      guard received.method == "TRACE" else {
        return try await answer(200, Self.plain, "", nil, writer)
      }
      let type: HTTPFields = [.contentType: "message/http", .cacheControl: "no-store"]
      return try await answer(200, type, received.reflection, nil, writer)
    }
    let url = services.keys.key(for: request.url)
    // Before the look-up: what changes afterwards makes it another one.
    let revision = services.store.revision(of: url)
    switch services.cache.answer(request.forCache, for: url) {
    case .gatewayTimeout: try await refuseUncached(writer)
    case .deliver(let entry, let delivery, let question):
      if services.tier != nil, await !isReusable(entry, to: request, url) {
        if request.forCache.control.onlyIfCached { return try await refuseUncached(writer) }
        // Not from what is stored, whether it could be removed or not.
        return try await carryOut(request, Question(request.forCache, url: url), nil, writer)
      }
      if let question { revalidateInBackground(request, question) }
      if delivery == .fresh, let revision { prepare(entry, for: request, url, revision) }
      try await deliverOrAsk(entry, for: request, url, CacheStatus(.hit), writer)
    case .ask(let question):
      try await forward(request, question, writer)
    }
  }

  // MARK: From the store

  /// Whether a stored response may answer: not if another server has purged it; then it is removed
  /// here as well.
  private func isReusable(
    _ entry: StreamingEntry, to request: ProxyRequest, _ url: String
  ) async -> Bool {
    guard let tier = services.tier else { return true }
    switch await tier.validity(of: url, under: entry.response.generation) {
    case nil, .current, .unknown: return true
    case .unrelated:
      var whole = request.forCache
      whole.policy = .revalidate
      if case .ask(let question) = services.cache.answer(whole, for: url) {
        revalidateInBackground(request, question)
      }
      return true
    case .purged:
      services.flights.outdate(url)
      _ = try? services.store.purge([url], tags: [])
      return false
    }
  }

  private func prepare(
    _ entry: StreamingEntry, for request: ProxyRequest, _ url: String, _ revision: UInt64
  ) {
    let known = services.ready.responses(to: request.target) ?? []
    let now = services.clock()
    guard
      !known.contains(where: {
        $0.revision == revision && $0.isSelected(by: request.fields) && $0.isFresh(at: now)
      })
    else { return }
    let ready = ReadyResponse(
      entry, target: request.target, url: url, revision: revision,
      variants: services.store.entries(for: url, request: request.fields), request: request.fields,
      at: now,
      until: services.tier.map { now.addingTimeInterval($0.memoryLifetime / .seconds(1)) }
        ?? .distantFuture,
      profile: services.profile, via: services.via)
    if let ready { services.ready.insert(ready) }
  }

  /// Delivers a stored response, or sends a request to the origin if its bytes are missing.
  private func deliverOrAsk(
    _ entry: StreamingEntry, for request: ProxyRequest, _ url: String, _ status: CacheStatus,
    _ writer: ResponseWriter, adding cookies: HTTPFields = [:]
  ) async throws {
    if try await deliver(entry, to: request, url, status, writer, adding: cookies) { return }
    services.store.remove(entry, for: url)
    try await carryOut(request, Question(request.forCache, url: url), nil, writer)
  }

  /// - Returns: Whether it was delivered; if not, its bytes are gone and nothing was written.
  private func deliver(
    _ entry: StreamingEntry, to request: ProxyRequest, _ url: String, _ status: CacheStatus,
    _ writer: ResponseWriter,
    adding cookies: HTTPFields = [:]
  ) async throws -> Bool {
    let (head, _) = entry.presented(
      to: request.forCache, at: services.clock(), status, profile: services.profile,
      via: services.via,
      adding: cookies)
    guard let parts = head.body else {
      services.store.touch(entry, for: url)
      try await writer.begin(head.status, head.fields)
      try await writer.end()
      return true
    }
    guard let body = entry.open() else { return false }
    func read(_ rest: Range<Int>) throws -> ByteBuffer {
      let count = min(ResponseWriter.pieceByteCount, rest.count)
      let bytes = try body.read(at: rest.lowerBound, count: count)
      guard bytes.count == count else { throw BodyRelay.Broken() }
      return ByteBuffer(bytes: bytes)
    }
    // The first piece is read before the head is written, so that a body that is gone is noticed.
    var first = try? parts.parts.first.map { try read($0.bytes) }
    guard first != nil else { return false }
    try await writer.begin(head.status, head.fields)
    if writer.hasBody {
      try await parts.write(to: { try await writer.write($0) }) { rest in
        defer { first = nil }
        return try first ?? read(rest)
      }
    }
    try await writer.end()
    return true
  }

  /// Revalidates a stale response (RFC 5861 §3), unless a revalidation is in flight.
  private func revalidateInBackground(_ request: ProxyRequest, _ question: Question) {
    var whole = request
    whole.method = "GET"
    for name in [.range, .ifRange, .ifNoneMatch, .ifModifiedSince] as [HTTPField.Name] {
      whole.fields[name] = nil
    }
    let (flight, isNew) = services.flights.joinOrBegin(question.url)
    guard isNew else { return }
    let exchange = Exchange(
      services: services, request: whole, question: question.asked(for: whole.forCache),
      flight: flight, hasOwner: false)
    services.exchanges.start { await exchange.run() }
  }

  // MARK: From the origin

  private func forward(
    _ request: ProxyRequest, _ question: Question, _ writer: ResponseWriter
  ) async throws {
    let url = question.url
    if request.mayCollapse, services.flights.mayShare(url, at: services.clock()) {
      let deadline = ContinuousClock.now + services.flights.patience
      let (flight, isNew) = services.flights.joinOrBegin(url)
      if isNew { return try await begin(request, question, flight, writer) }
      var sharing = try await share(flight, with: request, until: deadline, writer)
      if case .failed(let error) = sharing, !error.isOfEveryRequest {
        // The fields of that request may be the reason: one that waited tries for all others.
        let (flight, isNew) = services.flights.joinOrBegin(url)
        if isNew { return try await begin(request, question, flight, writer) }
        sharing = try await share(flight, with: request, until: deadline, writer)
      }
      switch sharing {
      case .answered: return services.metrics.add(1, to: ServerMetrics.collapsed)
      // All that waited fail together: the origin does not get a request for each.
      case .failed(let error) where error.code != .timedOut:
        return try await fail(error, .noAnswer, writer)
      // The origin may hold the other request for its fields.
      case .failed, .unsuitable:
        return try await begin(request, question, services.flights.beginAlone(url), writer)
      }
    }
    try await carryOut(request, question, nil, writer)
  }

  /// Carries out a request that others may join, unless another one has stored a response since the
  /// look-up.
  private func begin(
    _ request: ProxyRequest, _ question: Question, _ flight: Flight, _ writer: ResponseWriter
  ) async throws {
    guard
      case .deliver(let entry, .fresh, _) = services.cache.answer(
        request.forCache, for: question.url)
    else { return try await carryOut(request, question, flight, writer) }
    flight.settle(.stored(entry, CacheStatus(.hit), cookies: [:]))
    services.flights.end(flight, for: question.url)
    try await deliverOrAsk(entry, for: request, question.url, CacheStatus(.hit), writer)
  }

  /// - Parameter flight: Its flight, which others may have joined; `nil` for one that none joins.
  private func carryOut(
    _ request: ProxyRequest, _ question: Question, _ flight: Flight?, _ writer: ResponseWriter
  ) async throws {
    let flight = flight ?? services.flights.beginAlone(question.url)
    let exchange = Exchange(
      services: services, request: request, question: question, flight: flight, hasOwner: true)
    let task = services.exchanges.start { await exchange.run() }
    if request.isSafe { flight.whenAbandoned { task.cancel() } }
    let client = ConnectionPresence.current
    let listener = client?.listen { flight.ownerLeft() }
    defer { if let listener { client?.forget(listener) } }
    for await (status, fields) in flight.interim { try? await writer.interim(status, fields) }
    let outcome = try await flight.outcome(for: client)
    let reader = flight.makeReader()
    switch outcome {
    case nil: throw CancellationError()
    case .response(let arrival):
      guard let reader else { throw BodyRelay.Broken() }
      try await pass(arrival, reader, to: request, writer)
    case .stored(let entry, let status, let cookies):
      try await deliverOrAsk(
        entry, for: request, question.url, status, writer, adding: cookies)
    case .failed(let error):
      let stale = question.substitute.map { question.stored[$0].response }
      let isForbidden = stale.map { services.profile.freshness(of: $0).isForbiddenStale } ?? false
      try await fail(error, isLate: isForbidden, question.reason, writer)
    }
  }

  /// The use of the outcome of an equal request.
  private enum Sharing {
    case answered
    case unsuitable
    case failed(ImageError)
  }

  /// Answers with the outcome of an equal request, if it is a response to this one, too, and begins
  /// before a deadline.
  private func share(
    _ flight: Flight, with request: ProxyRequest, until deadline: ContinuousClock.Instant,
    _ writer: ResponseWriter
  ) async throws -> Sharing {
    switch try await flight.outcome(for: ConnectionPresence.current, until: deadline) {
    case nil: return .unsuitable
    case .response(var arrival):
      guard let stored = arrival.stored, stored.isSelected(by: request.fields),
        stored.answers(request.forCache, storedUnder: arrival.url),
        stored.reuse(
          for: request.forCache, at: services.clock(), profile: services.cache.profile) == .fresh,
        let reader = arrival.body.join(ifNewerThan: services.flights.patience),
        await reader.hasBegun(by: deadline)
      else { return .unsuitable }
      // Without the fields for the first client alone: its cookies, and those that `private` and
      // `no-cache` name.
      arrival.fields = services.profile.reusable(stored.fields)
      arrival.cacheStatus.isCollapsed = true
      try await pass(arrival, reader, to: request, writer)
      return .answered
    case .stored(let entry, var status, _):
      guard entry.response.isSelected(by: request.fields),
        entry.response.answers(request.forCache, storedUnder: flight.url)
      else { return .unsuitable }
      status.isCollapsed = true
      return try await deliver(entry, to: request, flight.url, status, writer)
        ? .answered : .unsuitable
    case .failed(let error): return .failed(error)
    }
  }

  /// Passes a response of the origin on while it arrives.
  private func pass(
    _ arrival: Flight.Arrival, _ reader: BodyRelay.Reader, to request: ProxyRequest,
    _ writer: ResponseWriter
  ) async throws {
    // The client's own condition, if the origin was not asked with it.
    if arrival.stored != nil,
      let known = HTTPPresentation.notModified(
        status: arrival.status, fields: arrival.fields, for: request.forCache)
    {
      try await begin(304, known, arrival.cacheStatus, writer)
      return try await writer.end()
    }
    let client = ConnectionPresence.current
    let listener = client?.listen { reader.leave() }
    defer { if let listener { client?.forget(listener) } }
    let part =
      arrival.status == 200 ? HTTPPresentation.part(of: arrival.fields, for: request.forCache) : nil
    try await begin(
      part?.status ?? arrival.status, part?.fields ?? arrival.fields, arrival.cacheStatus, writer)
    let wanted = part.map { $0.body?.parts.first?.bytes ?? 0..<0 } ?? 0..<Int.max
    var offset = 0
    while writer.hasBody, offset < wanted.upperBound, let bytes = try await reader.next() {
      let piece = wanted.clamped(to: offset..<offset + bytes.count)
      if !piece.isEmpty {
        try await writer.write(Array(bytes[piece.lowerBound - offset..<piece.upperBound - offset]))
      }
      offset += bytes.count
    }
    try await writer.end()
  }

  // MARK: Responses

  private func begin(
    _ code: Int, _ fields: HTTPFields, _ status: CacheStatus?, _ writer: ResponseWriter
  ) async throws {
    var fields = fields
    services.via.add(to: &fields)
    status?.add(to: &fields)
    try await writer.begin(code, fields)
  }

  private func fail(
    _ error: ImageError, isLate: Bool = false, _ reason: CacheStatus.Reason,
    _ writer: ResponseWriter
  ) async throws {
    let code = error.code.rawValue
    if error.code == .saturated {
      return try await refuse(
        Problem(.serviceUnavailable, code, "Too many requests to the origin", retryAfter: 1),
        writer, reason)
    }
    let isTimeout = isLate || error.code == .timedOut
    try await refuse(
      Problem(isTimeout ? .gatewayTimeout : .badGateway, code, "The origin did not respond"),
      writer, reason)
  }

  private func purge(_ request: ProxyRequest, _ writer: ResponseWriter) async throws {
    guard let admins = services.admins.withLock({ $0 }) else {
      return try await refuse(
        Problem(
          .methodNotAllowed, "method_not_allowed", "This proxy has no admin keys.",
          allow: "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, TRACE"), writer)
    }
    guard admins.admit(request.fields) else {
      return try await refuse(Problem.adminKeyRequired, writer)
    }
    do {
      let count = try await services.purge(
        ProxyPurge(urls: services.keys.all(forTarget: request.target)))
      let body: JSONLine = ["removed": count]
      try await answer(
        200, [.contentType: "application/json", .cacheControl: "no-store"], "\(body)\n", nil, writer
      )
    } catch let problem as Problem {
      try await refuse(problem, writer)
    } catch let error as ImageError {
      services.log("PURGE \(request.target): \(error.message)")
      try await refuse(
        Problem(.internalServerError, error.code.rawValue, "The cache failed."), writer)
    }
  }

  private func refuseUncached(_ writer: ResponseWriter) async throws {
    try await refuse(
      Problem(
        .gatewayTimeout, ImageError.Code.notCached.rawValue,
        "Not cached, and the request has only-if-cached"), writer, .request)
  }

  /// Writes a problem object, and notes its code for the access log.
  private func refuse(
    _ problem: Problem, _ writer: ResponseWriter, _ reason: CacheStatus.Reason? = nil
  ) async throws {
    ConnectionPresence.current?.record(problem: problem.code)
    try await answer(
      problem.status.code, problem.fields, problem.json,
      reason.map { CacheStatus(.forwarded($0, status: nil)) }, writer)
  }

  private static let plain: HTTPFields = [
    .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
  ]

  private func answer(
    _ code: Int, _ more: HTTPFields, _ text: String, _ status: CacheStatus?,
    _ writer: ResponseWriter
  ) async throws {
    let body = Array(text.utf8)
    let fields: HTTPFields = [
      .date: HTTPDate.format(services.clock()), .contentLength: String(body.count),
    ]
    try await begin(code, fields + more, status, writer)
    if writer.hasBody, !body.isEmpty { try await writer.write(body) }
    try await writer.end()
  }
}

extension ImageError {
  /// Whether every request to the origin would fail now, whatever its fields.
  fileprivate var isOfEveryRequest: Bool {
    [.nameNotResolved, .connectionFailed, .tlsFailed, .saturated].contains(code)
  }
}
