import HTTPTypes
import ImagePipeline

/// A request that is under way to the origin, and those who wait for what comes of it.
final class Flight: Sendable {
  /// What came of it.
  enum Outcome: Sendable {
    /// An answer of the origin, whose body is coming.
    case answer(Arrival)
    /// A stored response: confirmed, or served in place of one that failed. The cookies came with
    /// the confirmation and belong to the client that started the flight.
    case stored(ProxyEntry, CacheStatus, cookies: HTTPFields)
    /// Nothing.
    case failed(ImageError)
  }

  /// An answer of the origin.
  struct Arrival: Sendable {
    var status: Int
    var fields: HTTPFields
    var body: BodyRelay
    /// The answer as it is being stored; `nil` when it is not.
    var stored: StoredResponse?
    var cacheStatus: CacheStatus
  }

  /// Interim answers, for the one who began it; ends with the outcome.
  let interim: AsyncStream<(status: Int, fields: HTTPFields)>
  private let interimContinuation: AsyncStream<(status: Int, fields: HTTPFields)>.Continuation

  private struct State {
    var outcome: Outcome?
    var waiting: [UnsafeContinuation<Outcome, Never>] = []
    var isOutdated = false
    var reader: BodyRelay.Reader?
  }
  private let state = Locked(State())

  /// Whether equal requests may wait for what comes of it.
  let isJoinable: Bool

  init(isJoinable: Bool) {
    self.isJoinable = isJoinable
    (interim, interimContinuation) = AsyncStream.makeStream()
  }

  /// Passes an interim answer on.
  func pass(interim status: Int, _ fields: HTTPFields) {
    interimContinuation.yield((status, fields))
  }

  /// Settles the outcome; only the first counts.
  ///
  /// - Parameter reader: For the one who began it, so that the body is wanted from the start.
  func settle(_ outcome: Outcome, reader: BodyRelay.Reader? = nil) {
    let waiting = state.withLock { state in
      if state.outcome == nil {
        state.outcome = outcome
        state.reader = reader
      }
      defer { state.waiting = [] }
      return state.waiting
    }
    interimContinuation.finish()
    for continuation in waiting { continuation.resume(returning: outcome) }
  }

  /// Requests that wait for the outcome.
  var waiterCount: Int { state.withLock { $0.waiting.count } }

  /// Waits for the outcome.
  func outcome() async -> Outcome {
    await withUnsafeContinuation { continuation in
      let outcome = state.withLock { state -> Outcome? in
        if state.outcome == nil { state.waiting.append(continuation) }
        return state.outcome
      }
      if let outcome { continuation.resume(returning: outcome) }
    }
  }

  /// The reader that was left for the one who began it; to be taken, if only to be dropped.
  func takeReader() -> BodyRelay.Reader? {
    state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }
  }

  /// Whether an unsafe request has changed the URL since this one went out: then its answer is not
  /// kept.
  var isOutdated: Bool { state.withLock { $0.isOutdated } }
  func outdate() { state.withLock { $0.isOutdated = true } }
}

/// The requests that are under way, by URL: equal ones join (request collapsing, RFC 9111 §4).
final class FlightTable: Sendable {
  private let flights = Locked<[String: [Flight]]>([:])

  /// Requests that wait for what another one began.
  var waiterCount: Int {
    flights.withLock { $0.values.joined().reduce(0) { $0 + $1.waiterCount } }
  }

  /// The flight to join for a URL, or a new one.
  ///
  /// - Returns: The flight, and whether the caller is to carry it out.
  func joinOrBegin(_ url: String) -> (Flight, isNew: Bool) {
    flights.withLock { flights in
      if let flight = flights[url]?.first(where: \.isJoinable) { return (flight, false) }
      let flight = Flight(isJoinable: true)
      flights[url, default: []].append(flight)
      return (flight, true)
    }
  }

  /// A new flight that nobody joins.
  func beginAlone(_ url: String) -> Flight {
    let flight = Flight(isJoinable: false)
    flights.withLock { $0[url, default: []].append(flight) }
    return flight
  }

  /// Ends a flight: nobody can join it any more.
  func end(_ flight: Flight, for url: String) {
    flights.withLock { flights in
      flights[url]?.removeAll { $0 === flight }
      if flights[url]?.isEmpty == true { flights[url] = nil }
    }
  }

  /// Says that a URL was changed by an unsafe request.
  ///
  /// - Parameter cause: That request's own flight, whose answer is the newest there is.
  func outdate(_ url: String, by cause: Flight) {
    for flight in flights.withLock({ $0[url] ?? [] }) where flight !== cause { flight.outdate() }
  }
}
