import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageModel

final class Flight: Sendable {
  enum Outcome: Sendable {
    case response(Arrival)
    /// A stored response: confirmed, or served in place of one that failed. The cookies came with
    /// the confirmation and belong to the client that started the flight.
    case stored(StreamingEntry, CacheStatus, cookies: HTTPFields)
    case failed(ImageError)
  }

  struct Arrival: Sendable {
    var status: Int
    var fields: HTTPFields
    var body: BodyRelay
    /// The response as it is being stored; `nil` if it is not.
    var stored: StoredResponse?
    var cacheStatus: CacheStatus
    /// The URL under which it is being stored.
    var url: String
  }

  /// The URL that it looks up.
  let url: String

  /// Interim responses, for the client that started the flight; ends with the outcome.
  let interim: AsyncStream<(status: Int, fields: HTTPFields)>
  private let interimContinuation: AsyncStream<(status: Int, fields: HTTPFields)>.Continuation

  private struct State {
    var outcome: Outcome?
    var waiters: [Int: UnsafeContinuation<Outcome?, any Error>] = [:]
    var lastWaiter = 0
    var isOutdated = false
    var reader: BodyRelay.Reader?
    var isWithoutOwner = false
    var isAbandoned = false
    /// Ends the request to the origin; `nil` for one that goes on without clients.
    var cancel: (@Sendable () -> Void)?
  }
  private let state = Locked(State())
  /// Whether it is outdated, locked while the response is stored.
  private let storing = Locked(false)

  /// Until when equal requests may begin to wait for the outcome; `nil` if none may.
  private let joinableUntil: ContinuousClock.Instant?

  /// - Parameter patience: How long equal requests may begin to wait for the outcome.
  init(of url: String, isJoinable: Bool, for patience: Duration = .seconds(1 << 32)) {
    self.url = url
    joinableUntil = isJoinable ? .now + patience : nil
    (interim, interimContinuation) = AsyncStream.makeStream()
  }

  func pass(interim status: Int, _ fields: HTTPFields) {
    interimContinuation.yield((status, fields))
  }

  /// Settles the outcome; only the first call counts. The reader of the client that started the
  /// flight keeps the body wanted from the start.
  func settle(_ outcome: Outcome, reader: BodyRelay.Reader? = nil) {
    let waiters = state.withLock { state in
      if state.outcome == nil { (state.outcome, state.reader) = (outcome, reader) }
      defer { state.waiters = [:] }
      return Array(state.waiters.values)
    }
    interimContinuation.finish()
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  var waiterCount: Int { state.withLock { $0.waiters.count } }

  /// - Returns: `nil` at the deadline.
  ///
  /// - Throws: `CancellationError` if the client disconnects before.
  func outcome(
    for client: ConnectionPresence?, until deadline: ContinuousClock.Instant? = nil
  ) async throws -> Outcome? {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    var listener: Int?
    defer { if let listener { client?.forget(listener) } }
    var timer: Task<Void, any Error>?
    defer { timer?.cancel() }
    return try await withUnsafeThrowingContinuation { waiter in
      let outcome = state.withLock { state -> Outcome? in
        if state.outcome == nil { state.waiters[id] = waiter }
        return state.outcome
      }
      if let outcome { return waiter.resume(returning: outcome) }
      listener = client?.listen { [weak self] in
        self?.leave(id) { $0.resume(throwing: CancellationError()) }
      }
      timer = deadline.map { deadline in
        Task(executorPreference: client?.executor) { [weak self] in
          try await Task.sleep(until: deadline, clock: .continuous)
          self?.leave(id) { $0.resume(returning: nil) }
        }
      }
    }
  }

  private func leave(_ id: Int, _ resume: (UnsafeContinuation<Outcome?, any Error>) -> Void) {
    let (waiter, cancel) = state.withLock { state in
      (state.waiters.removeValue(forKey: id), Self.abandon(&state))
    }
    if let waiter { resume(waiter) }
    cancel?()
  }

  // MARK: Clients that disconnect

  /// Sets what ends the request to the origin when no client is left.
  func whenAbandoned(_ cancel: @escaping @Sendable () -> Void) {
    let cancel = state.withLock { state in
      state.cancel = cancel
      return Self.abandon(&state)
    }
    cancel?()
  }

  func ownerLeft() {
    let cancel = state.withLock { state in
      state.isWithoutOwner = true
      return Self.abandon(&state)
    }
    interimContinuation.finish()
    cancel?()
  }

  /// Ends the request to the origin: no client reads the body, and it is not stored.
  func cancel() { state.withLock { $0.cancel }?() }

  private static func abandon(_ state: inout State) -> (@Sendable () -> Void)? {
    guard state.isWithoutOwner, state.waiters.isEmpty, state.outcome == nil, !state.isAbandoned,
      let cancel = state.cancel
    else { return nil }
    state.isAbandoned = true
    return cancel
  }

  var mayBeJoined: Bool {
    guard let joinableUntil else { return false }
    return state.withLock { state in
      !state.isOutdated && !state.isAbandoned && (state.outcome != nil || .now < joinableUntil)
    }
  }

  /// Returns the reader of the client that started the flight, which has to take it even if only to
  /// drop it.
  func makeReader() -> BodyRelay.Reader? {
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
  let patience: Duration
  /// URLs whose last response was not stored, and until when that is remembered.
  private let unstored = Locked<[String: Date]>([:])

  init(patience: Duration = .seconds(5)) { self.patience = patience }

  var waiterCount: Int {
    flights.withLock { $0.values.joined().reduce(0) { $0 + $1.waiterCount } }
  }

  func joinOrBegin(_ url: String) -> (Flight, isNew: Bool) {
    flights.withLock { flights in
      if let flight = flights[url]?.first(where: \.mayBeJoined) {
        return (flight, false)
      }
      let flight = Flight(of: url, isJoinable: true, for: patience)
      flights[url, default: []].append(flight)
      return (flight, true)
    }
  }

  func beginAlone(_ url: String) -> Flight {
    let flight = Flight(of: url, isJoinable: false)
    flights.withLock { $0[url, default: []].append(flight) }
    return flight
  }

  /// Notes that the response of a URL is not stored: for 10 s, requests for it do not wait for each
  /// other.
  func recordUnstored(_ url: String, at now: Date) {
    unstored.withLock { unstored in
      if unstored.count >= 1024 { unstored = unstored.filter { $0.value > now } }
      if unstored.count < 1024 { unstored[url] = now.addingTimeInterval(10) }
    }
  }

  func mayShare(_ url: String, at now: Date) -> Bool {
    unstored.withLock { unstored in unstored[url].map { $0 <= now } ?? true }
  }

  /// Adds a flight to those for the URL that its response is stored under: what outdates that
  /// outdates the flight, and requests for it may join.
  func add(_ flight: Flight, for url: String) {
    flights.withLock { $0[url, default: []].append(flight) }
  }

  func end(_ flight: Flight, for url: String) {
    flights.withLock { flights in
      flights[url]?.removeAll { $0 === flight }
      if flights[url]?.isEmpty == true { flights[url] = nil }
    }
  }

  /// Notes that what is stored for a URL, or for all of them, is invalid or purged, but for the
  /// response to the unsafe request that changed it, which is the newest.
  func outdate(_ url: String?, by cause: Flight? = nil) {
    let outdated = flights.withLock { flights in
      url.map { flights[$0] ?? [] } ?? flights.values.flatMap(\.self)
    }
    for flight in outdated where flight !== cause { flight.outdate() }
  }
}
