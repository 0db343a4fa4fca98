import HTTPTypes
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Carries one request to the origin and, when the head of its answer is there, does what the rules
/// say.
///
/// It goes on without the client that began it, as long as the answer is being stored or somebody
/// else reads it.
struct Exchange: Sendable {
  /// The client is answered from the store.
  private struct Settled: Error {}

  let services: ProxyServices
  let request: ProxyRequest
  let question: HTTPCache<ProxyEntry>.Question
  let flight: Flight
  /// Whether a client waits who will take the flight's reader.
  let hasOwner: Bool

  private var url: String { question.url }

  /// Carries it out; the flight is settled and ended afterwards, whatever happens.
  func run() async {
    do {
      try await services.cache.ask(
        question, invalidated: { services.flights.outdate($0, by: flight) },
        send: { fields, take in try await exchange(fields, take) })
    } catch {
      fail(error as? ImageError ?? ImageError(.connectionFailed, "\(url): given up"))
    }
    services.flights.end(flight, for: url)
  }

  private func exchange(
    _ fields: HTTPFields,
    _ take: (HTTPCacheUpdate.Answer) throws -> HTTPCache<ProxyEntry>.Disposition
  ) async throws {
    let requestTime = services.clock()
    var origin = OriginRequest(method: request.method, target: request.target, fields: fields)
    services.via.add(to: &origin.fields)
    if let body = request.body { origin.body = { try await body.next() } }
    origin.bodyByteCount = request.bodyByteCount
    var answer: PassingAnswer?
    do {
      try await services.client.exchange(origin) { event in
        switch event {
        case .interim(let status, let fields):
          flight.pass(interim: status, HTTPFieldRules.endToEnd(fields))
        case .head(let status, let fields):
          let head = HTTPCacheUpdate.Answer(
            status: status, fields: Self.cleaned(fields, now: services.clock()),
            requestTime: requestTime, responseTime: services.clock())
          answer = try await begin(head, try take(head))
        case .bytes(let bytes):
          try await answer?.take(bytes)
        }
      }
      answer?.end(isComplete: true, services, url, isOutdated: flight.isOutdated)
    } catch is Settled {
    } catch {
      answer?.end(isComplete: false, services, url, isOutdated: true)
      throw error
    }
  }

  /// Settles the flight as the cache says, and returns the response that clients take.
  private func begin(
    _ head: HTTPCacheUpdate.Answer, _ disposition: HTTPCache<ProxyEntry>.Disposition
  ) async throws -> PassingAnswer? {
    var status = CacheStatus(.forwarded(question.reason.rawValue, status: head.status))
    switch disposition {
    case .pass:
      return pass(head, status)
    case .store(let kept):
      let length = head.fields[.contentLength].flatMap { Int($0) }
      return keep(head.status, head.fields, kept, byteCount: length, status)
    case .deliver(let entry):
      status.isStored = true
      flight.settle(.stored(entry, status, cookies: cookies(of: head)))
      return nil
    case .join(let entry, let joined, let start):
      guard let beginning = entry.open() else {
        throw HTTPCache<ProxyEntry>.UselessResponse()
      }
      let passing = keep(
        joined.status, joined.fields + cookies(of: head), joined, byteCount: joined.byteCount,
        status)
      try await passing.copy(beginning, count: start)
      return passing
    case .substitute(let entry):
      status.detail = "stale-if-error"
      flight.settle(.stored(entry, status, cookies: [:]))
      throw Settled()
    }
  }

  private func pass(_ answer: HTTPCacheUpdate.Answer, _ status: CacheStatus) -> PassingAnswer {
    let relay = BodyRelay(staged: nil)
    let reader = hasOwner ? relay.join() : nil
    let arrival = Flight.Arrival(
      status: answer.status, fields: answer.fields, body: relay, stored: nil, cacheStatus: status)
    flight.settle(.answer(arrival), reader: reader)
    return PassingAnswer(relay: relay)
  }

  private func keep(
    _ code: Int, _ fields: HTTPFields, _ kept: StoredResponse, byteCount: Int?,
    _ status: CacheStatus
  ) -> PassingAnswer {
    var status = status
    let staged = services.store.stage(byteCount: byteCount)
    status.isStored = staged != nil
    let relay = BodyRelay(staged: staged)
    let reader = hasOwner ? relay.join() : nil
    let arrival = Flight.Arrival(
      status: code, fields: fields, body: relay, stored: kept, cacheStatus: status)
    flight.settle(.answer(arrival), reader: reader)
    return PassingAnswer(relay: relay, kept: kept, staged: staged, byteCount: byteCount)
  }

  /// The origin gave no answer.
  private func fail(_ error: ImageError) {
    services.log("\(request.method) \(url): \(error.message)")
    guard let entry = services.cache.substitute(for: error, in: question) else {
      return flight.settle(.failed(error))
    }
    var status = CacheStatus(.forwarded(question.reason.rawValue, status: nil))
    status.detail = "stale-if-error"
    flight.settle(.stored(entry, status, cookies: [:]))
  }

  // MARK: Fields

  /// The `Set-Cookie` of an answer that a stored one is given in place of; none where it is stored
  /// as any other.
  private func cookies(of answer: HTTPCacheUpdate.Answer) -> HTTPFields {
    services.cache.profile.storesSetCookie ? [:] : HTTPFieldRules.cookies(of: answer.fields)
  }

  /// The response's fields for the client: with a `Date` (RFC 9110 §6.6.1). ``OriginClient`` has
  /// made sure of the length.
  private static func cleaned(_ raw: HTTPFields, now: Date) -> HTTPFields {
    var fields = HTTPFieldRules.endToEnd(raw)
    if fields[.date] == nil { fields[.date] = HTTPDate.format(now) }
    return fields
  }
}
