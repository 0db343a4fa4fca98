import HTTPTypes
import ImagePipeline

/// The journey of one request through the proxy: decide, then deliver from the store, join what is
/// under way, or ask the origin.
struct ProxyResponder: Sendable {
  let services: ProxyServices

  /// Answers a request.
  ///
  /// - Throws: When the client has gone, or the answer broke off and the connection has to be cut.
  func respond(to request: ProxyRequest, _ writer: ResponseWriter) async throws {
    guard !services.via.isCircular(request.fields) else {
      return try await refuse(508, "Loop detected: Via names this proxy", nil, writer)
    }
    guard let request = passedOn(request) else {
      return try await refuse(200, "", nil, writer)
    }
    let url = services.url(of: request.target)
    let question = request.forCache
    let stored = question.isAnswerable ? services.store.answers(for: url) : []
    let decision = HTTPCacheDecision(
      for: question, stored: stored.map(\.answer), at: services.clock(), isShared: true)
    switch decision {
    case .gatewayTimeout:
      try await refuse(504, "not stored, and the request wants nothing else", .request, writer)
    case .deliver(let index, let revalidation):
      if let revalidation {
        revalidateMeanwhile(request, url, stored, index, revalidation)
      }
      if try await deliver(stored[index], to: request, CacheStatus(.hit), writer) { return }
      services.store.remove(stored[index], for: url)
      try await forward(request, url, [], nil, .noAnswer, nil, writer)
    case .validate(let revalidation, let reason, let substitute):
      try await forward(request, url, stored, revalidation, reason, substitute, writer)
    case .forward(let reason, let substitute):
      try await forward(request, url, stored, nil, reason, substitute, writer)
    }
  }

  // MARK: From the store

  /// - Returns: `false` when the bytes are gone; then nothing was written.
  private func deliver(
    _ entry: StoredEntry, to request: ProxyRequest, _ status: CacheStatus, _ writer: ResponseWriter,
    adding cookies: HTTPFields = [:]
  ) async throws -> Bool {
    let now = services.clock()
    var presentation = HTTPPresentation(
      entry.answer, for: request.forCache, at: now, isShared: true)
    var status = status
    let remaining = entry.answer.freshness(isShared: true).remaining(at: now)
    status.lifetime = Int(max(-1e9, min(1e9, remaining.rounded(.down))))
    presentation.fields.append(contentsOf: cookies)
    addOwn(status, to: &presentation.fields)
    guard case .bytes(let range) = presentation.body else {
      services.store.touch(entry, for: services.url(of: request.target))
      try await writer.begin(presentation.status, presentation.fields)
      try await writer.end()
      return true
    }
    guard let body = entry.open() else { return false }
    let chunk = 1 << 16
    var offset = range.lowerBound
    var first = try? body.read(at: offset, count: min(chunk, range.upperBound - offset))
    guard first?.count == min(chunk, range.count) else { return false }
    try await writer.begin(presentation.status, presentation.fields)
    while offset < range.upperBound, writer.hasBody {
      let bytes = try first ?? body.read(at: offset, count: min(chunk, range.upperBound - offset))
      first = nil
      guard !bytes.isEmpty else { throw BodyRelay.Broken() }
      try await writer.write(bytes)
      offset += bytes.count
    }
    try await writer.end()
    return true
  }

  /// RFC 5861 §3: one question in the background, whoever else asks.
  private func revalidateMeanwhile(
    _ request: ProxyRequest, _ url: String, _ stored: [StoredEntry], _ index: Int,
    _ revalidation: HTTPRevalidation
  ) {
    var whole = request
    whole.method = "GET"
    for name in [.range, .ifRange, .ifNoneMatch, .ifModifiedSince] as [HTTPField.Name] {
      whole.fields[name] = nil
    }
    let (flight, isNew) = services.flights.joinOrBegin(url)
    guard isNew else { return }
    let exchange = Exchange(
      services: services, request: whole, url: url, stored: stored,
      revalidation: revalidation.nominated.isEmpty ? nil : revalidation, substitute: index,
      reason: .stale, flight: flight, hasOwner: false)
    services.exchanges.start { await exchange.run() }
  }

  // MARK: From the origin

  private func forward(
    _ request: ProxyRequest, _ url: String, _ stored: [StoredEntry],
    _ revalidation: HTTPRevalidation?, _ reason: HTTPCacheDecision.Reason, _ substitute: Int?,
    _ writer: ResponseWriter
  ) async throws {
    if request.mayCollapse, request.forCache.control.noCache == nil {
      let (flight, isNew) = services.flights.joinOrBegin(url)
      if !isNew {
        if try await share(flight, with: request, writer) { return }
        return try await carryOut(
          request, url, stored, revalidation, reason, substitute,
          services.flights.beginAlone(url), writer)
      }
      return try await carryOut(
        request, url, stored, revalidation, reason, substitute, flight, writer)
    }
    try await carryOut(
      request, url, stored, revalidation, reason, substitute, services.flights.beginAlone(url),
      writer)
  }

  private func carryOut(
    _ request: ProxyRequest, _ url: String, _ stored: [StoredEntry],
    _ revalidation: HTTPRevalidation?, _ reason: HTTPCacheDecision.Reason, _ substitute: Int?,
    _ flight: Flight, _ writer: ResponseWriter
  ) async throws {
    let exchange = Exchange(
      services: services, request: request, url: url, stored: stored, revalidation: revalidation,
      substitute: substitute, reason: reason, flight: flight, hasOwner: true)
    services.exchanges.start { await exchange.run() }
    for await (status, fields) in flight.interim { try? await writer.interim(status, fields) }
    let outcome = await flight.outcome()
    let reader = flight.takeReader()
    switch outcome {
    case .answer(let arrival):
      guard let reader else { throw BodyRelay.Broken() }
      try await pass(arrival, reader, to: request, writer)
    case .stored(let entry, let status, let cookies):
      if try await deliver(entry, to: request, status, writer, adding: cookies) { return }
      services.store.remove(entry, for: url)
      try await carryOut(
        request, url, [], nil, .noAnswer, nil, services.flights.beginAlone(url), writer)
    case .failed(let error):
      let isForbidden =
        substitute.map { stored[$0].answer.freshness(isShared: true).isForbiddenStale } ?? false
      let isLate = error.code == .timedOut || isForbidden
      try await refuse(isLate ? 504 : 502, "the origin gave no answer", reason, writer)
    }
  }

  /// Answers with what came of an equal request; `false` when that is no answer for this one.
  private func share(
    _ flight: Flight, with request: ProxyRequest, _ writer: ResponseWriter
  ) async throws -> Bool {
    switch await flight.outcome() {
    case .answer(var arrival):
      guard let kept = arrival.stored, kept.isSelected(by: request.fields),
        kept.freshness(isShared: true).use(at: services.clock(), request: request.forCache.control)
          == .fresh, let reader = arrival.body.join()
      else { return false }
      // What is for the first client alone stays with it: its cookies, and what `private` and
      // `no-cache` name.
      arrival.fields = HTTPFieldRules.reusable(kept.fields, isShared: true)
      arrival.cacheStatus.isCollapsed = true
      try await pass(arrival, reader, to: request, writer)
      return true
    case .stored(let entry, var status, _):
      guard entry.answer.isSelected(by: request.fields) else { return false }
      status.isCollapsed = true
      return try await deliver(entry, to: request, status, writer)
    case .failed(let error):
      // All who wait fail together: the origin is not asked once for each.
      try await refuse(
        error.code == .timedOut ? 504 : 502, "the origin gave no answer", .noAnswer, writer)
      return true
    }
  }

  /// Passes an answer of the origin on while it comes.
  private func pass(
    _ arrival: Flight.Arrival, _ reader: BodyRelay.Reader, to request: ProxyRequest,
    _ writer: ResponseWriter
  ) async throws {
    var fields = arrival.fields
    // The client's own condition, where the origin was not asked with it.
    if arrival.stored != nil,
      let known = HTTPPresentation.notModified(
        status: arrival.status, fields: fields, for: request.forCache)
    {
      fields = known
      addOwn(arrival.cacheStatus, to: &fields)
      try await writer.begin(304, fields)
      return try await writer.end()
    }
    addOwn(arrival.cacheStatus, to: &fields)
    try await writer.begin(arrival.status, fields)
    while writer.hasBody, let bytes = try await reader.next() { try await writer.write(bytes) }
    try await writer.end()
  }

  // MARK: Words of the proxy itself

  private func addOwn(_ status: CacheStatus, to fields: inout HTTPFields) {
    services.via.add(to: &fields)
    status.add(to: &fields)
  }

  private func refuse(
    _ status: Int, _ words: String, _ reason: HTTPCacheDecision.Reason?,
    _ writer: ResponseWriter
  ) async throws {
    let body = Array((words.isEmpty ? "" : words + "\n").utf8)
    var fields: HTTPFields = [
      .date: HTTPDate.format(services.clock()), .contentLength: String(body.count),
      .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store",
    ]
    if let reason { CacheStatus(.forwarded(reason.rawValue, status: nil)).add(to: &fields) }
    services.via.add(to: &fields)
    try await writer.begin(status, fields)
    if writer.hasBody, !body.isEmpty { try await writer.write(body) }
    try await writer.end()
  }

  /// RFC 9110 §7.6.2: `Max-Forwards` counts hops of `OPTIONS` and `TRACE`; `nil` where this was the
  /// last.
  private func passedOn(_ request: ProxyRequest) -> ProxyRequest? {
    guard ["OPTIONS", "TRACE"].contains(request.method),
      let name = HTTPField.Name("Max-Forwards"),
      let hops = request.fields[name].flatMap({ Int($0) })
    else { return request }
    guard hops > 0 else { return nil }
    var request = request
    request.fields[name] = String(hops - 1)
    return request
  }
}
