import HTTPTypes
import ImagePipeline

/// The journey of one request through the proxy: decide, then deliver from the store, join what is
/// under way, or ask the origin.
struct ProxyResponder: Sendable {
  private typealias Question = HTTPCache<ProxyEntry>.Question

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
    switch services.cache.answer(request.forCache, for: services.url(of: request.target)) {
    case .gatewayTimeout:
      try await refuse(504, "not stored, and the request wants nothing else", .request, writer)
    case .deliver(let entry, _, let question):
      if let question { revalidateMeanwhile(request, question) }
      if try await deliver(entry, to: request, CacheStatus(.hit), writer) { return }
      try await askAgain(request, instead: entry, writer)
    case .ask(let question):
      try await forward(request, question, writer)
    }
  }

  /// Asks the origin for a response whose stored bytes turned out to be gone.
  private func askAgain(
    _ request: ProxyRequest, instead entry: ProxyEntry, _ writer: ResponseWriter
  ) async throws {
    let url = services.url(of: request.target)
    services.store.remove(entry, for: url)
    try await carryOut(
      request, Question(request.forCache, url: url), services.flights.beginAlone(url), writer)
  }

  // MARK: From the store

  /// - Returns: `false` when the bytes are gone; then nothing was written.
  private func deliver(
    _ entry: ProxyEntry, to request: ProxyRequest, _ status: CacheStatus, _ writer: ResponseWriter,
    adding cookies: HTTPFields = [:]
  ) async throws -> Bool {
    let now = services.clock()
    var presentation = HTTPPresentation(
      entry.response, for: request.forCache, at: now, isShared: true)
    var status = status
    let remaining = entry.response.freshness(isShared: true).remaining(at: now)
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
  private func revalidateMeanwhile(_ request: ProxyRequest, _ question: Question) {
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
    if request.mayCollapse, request.forCache.control.noCache == nil {
      let (flight, isNew) = services.flights.joinOrBegin(question.url)
      if isNew { return try await begin(request, question, flight, writer) }
      if try await share(flight, with: request, writer) { return }
    }
    try await carryOut(request, question, services.flights.beginAlone(question.url), writer)
  }

  /// Carries out a request that others may join, unless another has brought the response since it
  /// was looked for.
  private func begin(
    _ request: ProxyRequest, _ question: Question, _ flight: Flight, _ writer: ResponseWriter
  ) async throws {
    guard
      case .deliver(let entry, .fresh, _) = services.cache.answer(
        request.forCache, for: question.url)
    else { return try await carryOut(request, question, flight, writer) }
    flight.settle(.stored(entry, CacheStatus(.hit), cookies: [:]))
    services.flights.end(flight, for: question.url)
    if try await deliver(entry, to: request, CacheStatus(.hit), writer) { return }
    try await askAgain(request, instead: entry, writer)
  }

  private func carryOut(
    _ request: ProxyRequest, _ question: Question, _ flight: Flight, _ writer: ResponseWriter
  ) async throws {
    let exchange = Exchange(
      services: services, request: request, question: question, flight: flight, hasOwner: true)
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
      try await askAgain(request, instead: entry, writer)
    case .failed(let error):
      let isForbidden =
        question.substitute.map {
          question.stored[$0].response.freshness(isShared: true).isForbiddenStale
        } ?? false
      let isLate = error.code == .timedOut || isForbidden
      try await refuse(
        isLate ? 504 : 502, "the origin gave no answer", question.reason, writer)
    }
  }

  /// Answers with what came of an equal request; `false` when that is no answer for this one.
  private func share(
    _ flight: Flight, with request: ProxyRequest, _ writer: ResponseWriter
  ) async throws -> Bool {
    switch await flight.outcome() {
    case .answer(var arrival):
      guard let kept = arrival.stored, kept.isSelected(by: request.fields),
        kept.reuse(
          for: request.forCache, at: services.clock(), profile: services.cache.profile) == .fresh,
        let reader = arrival.body.join()
      else { return false }
      // What is for the first client alone stays with it: its cookies, and what `private` and
      // `no-cache` name.
      arrival.fields = HTTPFieldRules.reusable(kept.fields, isShared: true)
      arrival.cacheStatus.isCollapsed = true
      try await pass(arrival, reader, to: request, writer)
      return true
    case .stored(let entry, var status, _):
      guard entry.response.isSelected(by: request.fields) else { return false }
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
