import HTTPCaching
import HTTPTypes
import ImageModel

/// A request to the origin in flight, and the requests that wait for its outcome.
final class Flight: Sendable {
  /// How a flight ended.
  enum Outcome: Sendable {
    /// A response of the origin, whose body is arriving.
    case response(Arrival)
    /// A stored response: confirmed, or served in place of one that failed. The cookies came with
    /// the confirmation and belong to the client that started the flight.
    case stored(StreamingEntry, CacheStatus, cookies: HTTPFields)
    /// No response.
    case failed(ImageError)
  }

  /// A response of the origin.
  struct Arrival: Sendable {
    var status: Int
    var fields: HTTPFields
    var body: BodyRelay
    /// The response as it is being stored; `nil` if it is not.
    var stored: StoredResponse?
    var cacheStatus: CacheStatus
  }

  /// Interim responses, for the client that started the flight; ends with the outcome.
  let interim: AsyncStream<(status: Int, fields: HTTPFields)>
  private let interimContinuation: AsyncStream<(status: Int, fields: HTTPFields)>.Continuation

  private struct State {
    var outcome: Outcome?
    var waiters: [UnsafeContinuation<Outcome, Never>] = []
    var isOutdated = false
    var reader: BodyRelay.Reader?
  }
  private let state = Locked(State())
  /// Whether it is outdated, locked while the response is stored.
  private let storing = Locked(false)

  /// Whether equal requests may wait for the outcome.
  let isJoinable: Bool

  init(isJoinable: Bool) {
    self.isJoinable = isJoinable
    (interim, interimContinuation) = AsyncStream.makeStream()
  }

  /// Passes an interim response on.
  func pass(interim status: Int, _ fields: HTTPFields) {
    interimContinuation.yield((status, fields))
  }

  /// Settles the outcome; only the first call counts.
  ///
  /// - Parameter reader: The reader of the client that started the flight, which keeps the body
  ///   wanted from the start.
  func settle(_ outcome: Outcome, reader: BodyRelay.Reader? = nil) {
    let waiters = state.withLock { state in
      if state.outcome == nil { (state.outcome, state.reader) = (outcome, reader) }
      defer { state.waiters = [] }
      return state.waiters
    }
    interimContinuation.finish()
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  /// The number of requests that wait for the outcome.
  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// Waits for the outcome.
  func outcome() async -> Outcome {
    await withUnsafeContinuation { waiter in
      let outcome = state.withLock { state -> Outcome? in
        if state.outcome == nil { state.waiters.append(waiter) }
        return state.outcome
      }
      if let outcome { waiter.resume(returning: outcome) }
    }
  }

  /// Returns the reader of the client that started the flight, which has to take it even if only to
  /// drop it.
  func takeReader() -> BodyRelay.Reader? {
    state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }
  }

  /// Whether its response is not to be stored, as what is stored for the URL was invalidated or
  /// purged since the flight began.
  var isOutdated: Bool { state.withLock { $0.isOutdated } }

  /// Stores the response unless it is outdated; one that becomes so meanwhile waits for the end.
  func store(_ body: () throws -> Void) rethrows {
    try storing.withLock { isOutdated in
      if !isOutdated { try body() }
    }
  }

  fileprivate func outdate() {
    state.withLock { $0.isOutdated = true }
    storing.withLock { $0 = true }
  }
}

/// The requests in flight by URL: equal ones join (request collapsing, RFC 9111 §4).
final class FlightTable: Sendable {
  private let flights = Locked<[String: [Flight]]>([:])

  /// The number of requests that wait for the outcome of another one.
  var waiterCount: Int {
    flights.withLock { $0.values.joined().reduce(0) { $0 + $1.waiterCount } }
  }

  /// Returns the flight to join for a URL, or a new one.
  ///
  /// - Returns: The flight, and whether the caller has to carry it out.
  func joinOrBegin(_ url: String) -> (Flight, isNew: Bool) {
    flights.withLock { flights in
      if let flight = flights[url]?.first(where: { $0.isJoinable && !$0.isOutdated }) {
        return (flight, false)
      }
      let flight = Flight(isJoinable: true)
      flights[url, default: []].append(flight)
      return (flight, true)
    }
  }

  /// Returns a new flight that no other request joins.
  func beginAlone(_ url: String) -> Flight {
    let flight = Flight(isJoinable: false)
    flights.withLock { $0[url, default: []].append(flight) }
    return flight
  }

  /// Removes a flight: no request can join it any more.
  func end(_ flight: Flight, for url: String) {
    flights.withLock { flights in
      flights[url]?.removeAll { $0 === flight }
      if flights[url]?.isEmpty == true { flights[url] = nil }
    }
  }

  /// Notes that what is stored for a URL is invalid or purged.
  ///
  /// - Parameters:
  ///   - url: The URL; `nil` for all.
  ///   - cause: The flight of the unsafe request that changed it, whose response is the newest.
  func outdate(_ url: String?, by cause: Flight? = nil) {
    let outdated = flights.withLock { flights in
      url.map { flights[$0] ?? [] } ?? flights.values.flatMap(\.self)
    }
    for flight in outdated where flight !== cause { flight.outdate() }
  }
}
