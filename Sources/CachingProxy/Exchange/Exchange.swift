import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageFetching
import ImageModel

/// Carries one request to the origin and, when the head of the response arrives, applies the rules
/// of caching.
///
/// It continues without the client that started it while the response is being stored or another
/// client reads it.
struct Exchange: Sendable {
  /// The client is answered from the store.
  private struct Settled: Error {}

  let services: ProxyServices
  let request: ProxyRequest
  let question: HTTPCache<StreamingEntry>.Question
  let flight: Flight
  /// Whether a client waits that takes the flight's reader.
  let hasOwner: Bool
  /// The URLs that the request has invalidated (RFC 9111 §4.4).
  private let invalidated = Locked<[String]>([])
  /// The URL under which the response is stored, if that is another than it was looked up under.
  private let otherKey = Locked<String?>(nil)
  /// Whether the client's body ended too early or is malformed: no failure of the origin.
  private let bodyFailed = Locked(false)

  private var url: String { question.url }

  func run() async {
    let asked = services.clock()
    // Without a client left nothing cancels it.
    let share = try? await TierShare(services, request, question)
    if let (value, generation) = share?.found {
      settle(value, generation, asked)
    } else {
      do {
        try await services.cache.ask(
          question,
          invalidated: { changed in
            services.flights.outdate(changed, by: flight)
            if let changed { invalidated.withLock { $0.append(changed) } }
          }, send: { fields, take in try await exchange(fields, share, take) })
        // Without effect on a flight that is settled, as one with a response is.
        flight.settle(.failed(ImageError(.protocolError, "\(url): no response")))
      } catch {
        await fail(error as? ImageError ?? ImageError(.connectionReset, "\(url): cancelled"))
      }
    }
    share?.release()
    services.flights.end(flight, for: url)
    if let key = otherKey.withLock({ $0 }) { services.flights.end(flight, for: key) }
  }

  private func settle(_ value: TierValue, _ generation: TierGeneration, _ asked: Date) {
    let response = value.received(generation, asked: asked, at: services.clock())
    if let staged = services.store.stage(byteCount: value.body.count) {
      do {
        try staged.append(value.body)
        try flight.store { try staged.commit(response, for: url) }
      } catch {
        services.log("\(url) is not stored: \(error)")
      }
    }
    var status = CacheStatus(.hit)
    status.detail = "shared"
    let entry = StreamingEntry(key: .original(url: url), response: response) { value.body }
    flight.settle(.stored(entry, status, cookies: [:]))
  }

  private func exchange(
    _ fields: HTTPFields, _ share: TierShare?,
    _ take: (OriginHead) throws -> HTTPCache<StreamingEntry>.Disposition
  ) async throws {
    let requestTime = services.clock()
    var origin = OriginRequest(method: request.method, target: request.target, fields: fields)
    services.via.add(to: &origin.fields)
    if let body = request.body {
      origin.body = { [bodyFailed] in
        do {
          return try await body.next()
        } catch {
          bodyFailed.withLock { $0 = true }
          throw error
        }
      }
    }
    origin.bodyByteCount = request.bodyByteCount
    var response: ArrivingResponse?
    do {
      try await services.client.exchange(origin) { event in
        switch event {
        case .interim(let status, let fields):
          flight.pass(interim: status, fields.endToEnd)
        case .head(let status, let received):
          let now = services.clock()
          var fields = received.endToEnd
          // RFC 9110 §6.6.1.
          if fields[.date] == nil { fields[.date] = HTTPDate.format(now) }
          fields[.defaultControl] = request.rule?.defaults(for: status)
          // Scheme and host are in the key of other caches, too. A 304 without the field keeps it.
          if !request.selectors.isEmpty, status != 304 || fields.contains(.vary) {
            let names = request.selectors.sorted().joined(separator: ", ")
            fields.append(HTTPField(name: .vary, value: names))
          }
          let head = OriginHead(
            status: status, fields: fields, requestTime: requestTime, responseTime: now)
          let disposition = try take(head)
          await purgeInvalidated()
          try await begin(head, disposition, share, &response)
        case .bytes(let bytes):
          try await response?.append(bytes)
        }
      }
      response?.end(isComplete: true, services, flight)
    } catch is Settled {
    } catch {
      response?.end(isComplete: false, services, flight)
      throw error
    }
  }

  private func purgeInvalidated() async {
    let urls = invalidated.withLock { $0 }
    if let tier = services.tier, !urls.isEmpty { await tier.invalidate(urls) }
  }

  /// Settles the flight as the cache decides; `response` gets the one whose body is arriving.
  private func begin(
    _ head: OriginHead, _ disposition: HTTPCache<StreamingEntry>.Disposition,
    _ share: TierShare?, _ response: inout ArrivingResponse?
  ) async throws {
    var status = CacheStatus(.forwarded(question.reason, status: head.status))
    switch disposition {
    case .pass:
      if request.mayCollapse { services.flights.recordUnstored(url, at: head.responseTime) }
      // Others may go on.
      share?.release()
      response = arrive(head.status, head.fields, storedAs: nil, byteCount: nil, status)
    case .store(var stored):
      stored.generation = share?.generation
      let length = head.fields[.contentLength].flatMap { Int($0) }
      if let share, !share.mayTake(stored, byteCount: length) { share.release() }
      response = arrive(
        head.status, head.fields, storedAs: stored, byteCount: length, status, sharedBy: share)
    case .deliver(var entry):
      if let share, let generation = share.generation,
        entry.response.generation != generation || entry.response.sharedAt != nil
      {
        var renewed = entry.response
        renewed.generation = generation
        renewed.sharedAt = nil
        entry = services.store.update(entry, as: renewed, for: url)
      }
      share?.write(entry)
      status.isStored = true
      flight.settle(.stored(entry, status, cookies: cookies(of: head)))
    case .join(let entry, let joined, let start):
      share?.release()
      guard let beginning = entry.open() else { throw HTTPCache<StreamingEntry>.UselessResponse() }
      let joining = arrive(
        joined.status, joined.fields + cookies(of: head), storedAs: joined,
        byteCount: joined.byteCount, status)
      response = joining
      try await joining.copy(beginning, count: start)
    case .substitute(let entry):
      guard await isReusable(entry) else {
        response = arrive(head.status, head.fields, storedAs: nil, byteCount: nil, status)
        return
      }
      status.detail = "stale-if-error"
      flight.settle(.stored(entry, status, cookies: [:]))
      throw Settled()
    }
  }

  private func arrive(
    _ code: Int, _ fields: HTTPFields, storedAs stored: StoredResponse?, byteCount: Int?,
    _ status: CacheStatus, sharedBy share: TierShare? = nil
  ) -> ArrivingResponse {
    var status = status
    var fields = fields
    fields[.defaultControl] = nil
    let key = stored.map { services.keys.key(for: request.url, storing: $0) } ?? url
    if key != url {
      services.flights.add(flight, for: key)
      otherKey.withLock { $0 = key }
    }
    let staged = stored == nil ? nil : services.store.stage(byteCount: byteCount)
    status.isStored = staged != nil
    // Weak, as the flight has the relay.
    let relay = BodyRelay(staged: staged, whenAbandoned: { [weak flight] in flight?.cancel() })
    let reader = hasOwner ? relay.join() : nil
    let arrival = Flight.Arrival(
      status: code, fields: fields, body: relay, stored: stored, cacheStatus: status, url: key)
    flight.settle(.response(arrival), reader: reader)
    return ArrivingResponse(
      relay: relay, stored: stored, url: key, byteCount: byteCount, share: share)
  }

  /// Whether a stale response may answer: not if another server has purged it.
  private func isReusable(_ entry: StreamingEntry) async -> Bool {
    guard let tier = services.tier else { return true }
    return await tier.validity(of: url, under: entry.response.generation) != .purged
  }

  private func fail(_ error: ImageError) async {
    var named = error
    named.url = url
    if !bodyFailed.withLock(\.self) { services.log("\(request.method) \(named)") }
    guard let entry = services.cache.substitute(for: error, in: question), await isReusable(entry)
    else { return flight.settle(.failed(error)) }
    var status = CacheStatus(.forwarded(question.reason, status: nil))
    status.detail = "stale-if-error"
    flight.settle(.stored(entry, status, cookies: [:]))
  }

  /// The `Set-Cookie` of a response in place of which a stored one is sent; empty where these
  /// fields are stored like others.
  private func cookies(of response: OriginHead) -> HTTPFields {
    services.cache.profile.storesSetCookie ? [:] : response.fields.cookies
  }
}

/// A response whose body is arriving: for clients and, if it is stored, for the store.
private struct ArrivingResponse: Sendable {
  let relay: BodyRelay
  /// The response as it is stored; `nil` if it is only passed on.
  let stored: StoredResponse?
  let url: String
  let byteCount: Int?
  let share: TierShare?

  /// Adds bytes of the body.
  ///
  /// The last ones, if the length identifies them, reach the clients only when the response is
  /// stored: a client that repeats its request finds it.
  func append(_ bytes: [UInt8]) async throws {
    if stored != nil, let byteCount, relay.byteCount + bytes.count == byteCount {
      try await relay.append(last: bytes)
    } else {
      try await relay.append(bytes)
    }
  }

  /// Adds the beginning from a stored part.
  func copy(_ body: any StoredBody, count: Int) async throws {
    var offset = 0
    while offset < count {
      let bytes = try body.read(at: offset, count: min(1 << 16, count - offset))
      guard !bytes.isEmpty else { throw BodyRelay.Broken() }
      try await relay.append(bytes)
      offset += bytes.count
    }
  }

  /// Stores a response that arrived completely, then shows the clients its end.
  func end(isComplete: Bool, _ services: ProxyServices, _ flight: Flight) {
    if isComplete, let stored, let staged = relay.staged,
      relay.stagedByteCount == stored.partByteCount ?? byteCount ?? relay.stagedByteCount
    {
      do {
        try flight.store { try staged.commit(stored, for: url) }
        share?.write(stored, staged, byteCount: relay.stagedByteCount)
      } catch {
        services.log("\(url) is not stored: \(error)")
      }
    }
    relay.finish(isComplete: isComplete)
  }
}
