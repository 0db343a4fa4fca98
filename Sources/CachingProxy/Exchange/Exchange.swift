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
  /// The answer was no answer to this question.
  private struct AskAgain: Error {}
  /// What came is not wanted any more.
  private struct Settled: Error {}

  let services: ProxyServices
  let request: ProxyRequest
  let url: String
  /// What the decision saw.
  let stored: [StoredEntry]
  let revalidation: HTTPRevalidation?
  let substitute: Int?
  let reason: HTTPCacheDecision.Reason
  let flight: Flight
  /// Whether a client waits who will take the flight's reader.
  let hasOwner: Bool

  /// Carries it out; the flight is settled and ended afterwards, whatever happens.
  func run() async {
    do {
      do {
        try await attempt(revalidation, isRepeated: false)
      } catch is AskAgain {
        try await attempt(nil, isRepeated: true)
      }
    } catch let error as ImageError {
      fail(error)
    } catch {
      fail(ImageError(.connectionFailed, "\(url): given up"))
    }
    services.flights.end(flight, for: url)
  }

  private func attempt(_ revalidation: HTTPRevalidation?, isRepeated: Bool) async throws {
    let requestTime = services.clock()
    var origin = OriginRequest(
      method: request.method, target: request.target,
      fields: revalidation?.fields(for: request.forCache) ?? request.fields)
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
          answer = try await begin(
            HTTPCacheUpdate.Answer(
              status: status, fields: Self.cleaned(fields, now: services.clock()),
              requestTime: requestTime, responseTime: services.clock()),
            revalidation, isRepeated: isRepeated)
        case .bytes(let bytes):
          try await answer?.take(bytes)
        }
      }
      answer?.end(isComplete: true, services, url, isOutdated: flight.isOutdated)
    } catch let error as AskAgain {
      throw error
    } catch is Settled {
      return
    } catch {
      answer?.end(isComplete: false, services, url, isOutdated: true)
      throw error
    }
  }

  /// Does what the head calls for, and settles the flight.
  private func begin(
    _ answer: HTTPCacheUpdate.Answer, _ revalidation: HTTPRevalidation?, isRepeated: Bool
  ) async throws -> PassingAnswer? {
    let update = HTTPCacheUpdate(
      after: answer, to: request.forCache, asking: revalidation, substitute: substitute,
      stored: stored.map(\.answer), namesItself: namesItself(answer.fields),
      isRepeated: isRepeated, isShared: true, storesSetCookie: services.storesSetCookie)
    for reference in update.invalidated { forget(reference) }
    for index in update.dropped { services.store.remove(stored[index], for: url) }
    var status = CacheStatus(.forwarded(reason.rawValue, status: answer.status))
    switch update.action {
    case .pass:
      return pass(answer, status)
    case .describe(let index, let renewed):
      services.store.renew(stored[index], as: renewed, for: url)
      return pass(answer, status)
    case .store(let kept):
      let length = answer.fields[.contentLength].flatMap { Int($0) }
      return keep(answer.status, answer.fields, kept, byteCount: length, status)
    case .freshen(let index, let renewed):
      services.store.renew(stored[index], as: renewed, for: url)
      status.isStored = true
      let entry = StoredEntry(answer: renewed, open: stored[index].open)
      flight.settle(.stored(entry, status, cookies: cookies(of: answer)))
      return nil
    case .askAgain:
      throw AskAgain()
    case .join(let index, let joined, let start):
      guard let beginning = stored[index].open() else { throw AskAgain() }
      let passing = keep(
        joined.status, joined.fields + cookies(of: answer), joined, byteCount: joined.byteCount,
        status)
      try await passing.copy(beginning, count: start)
      return passing
    case .substitute(let index):
      status.detail = "stale-if-error"
      flight.settle(.stored(stored[index], status, cookies: [:]))
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
    _ code: Int, _ fields: HTTPFields, _ kept: StoredAnswer, byteCount: Int?, _ status: CacheStatus
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
    if let substitute {
      let entry = stored[substitute]
      let may = entry.answer.freshness(isShared: true).maySubstitute(
        for: .unreachable, at: services.clock(), request: request.forCache.control)
      if may {
        var status = CacheStatus(.forwarded(reason.rawValue, status: nil))
        status.detail = "stale-if-error"
        flight.settle(.stored(entry, status, cookies: [:]))
        return
      }
    }
    flight.settle(.failed(error))
  }

  // MARK: Fields

  /// The `Set-Cookie` of an answer that a stored one is given in place of; none where it is stored
  /// as any other.
  private func cookies(of answer: HTTPCacheUpdate.Answer) -> HTTPFields {
    services.storesSetCookie ? [:] : HTTPFieldRules.cookies(of: answer.fields)
  }

  private func namesItself(_ fields: HTTPFields) -> Bool {
    guard let location = fields[.contentLocation] else { return false }
    return services.client.target(of: location, from: request.target) == request.target
  }

  /// Forgets what an unsafe request has changed, at this origin.
  private func forget(_ reference: String) {
    let target =
      reference.isEmpty
      ? request.target : services.client.target(of: reference, from: request.target)
    guard let target else { return }
    let url = services.url(of: target)
    services.flights.outdate(url, by: flight)
    services.store.removeAll(for: url)
  }

  /// The response's fields for the client: with a `Date` (RFC 9110 §6.6.1). ``OriginClient`` has
  /// made sure of the length.
  private static func cleaned(_ raw: HTTPFields, now: Date) -> HTTPFields {
    var fields = HTTPFieldRules.endToEnd(raw)
    if fields[.date] == nil { fields[.date] = HTTPDate.format(now) }
    return fields
  }
}
