import ImageModel

/// The credentials of a role: obtained with the first request that needs them, and renewed before they
/// end. All waiting requests get those of one refresh.
actor RoleCredentials {
  private typealias Outcome = Result<S3Credentials, ImageError>

  private let source: RoleSource
  private let connectTime: Duration
  private let date: @Sendable () -> Date
  private var state = RoleState()
  private var waiting: [AsyncStream<Outcome>.Continuation] = []

  /// - Parameter connectTime: The time to connect to a service of the machine, whose answers take less
  ///   than a second; five times that for one of the network, and twice for the whole exchange.
  init(
    _ source: RoleSource, connectTime: Duration = .seconds(1),
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.source = source
    self.connectTime = connectTime
    self.date = date
  }

  /// Returns valid credentials, and starts a refresh where they end soon.
  ///
  /// - Throws: `ImageError` with code `connectionFailed`, or `timedOut` after `time`;
  ///   `CancellationError`.
  func credentials(
    through engine: CurlEngine, within time: Duration
  ) async throws -> S3Credentials {
    let now = date()
    if state.begins(at: now) {
      // Not part of this request, which may be cancelled while others wait.
      let requests = RoleRequests(source: source, engine: engine, connectTime: connectTime)
      Task { finish(await requests.outcome()) }
    }
    if let outcome = state.outcome(at: now) { return try outcome.get() }
    let (outcomes, continuation) = AsyncStream.makeStream(of: Outcome.self)
    waiting.append(continuation)
    return try await withThrowingTaskGroup(of: Outcome?.self) { group in
      group.addTask { await outcomes.first { _ in true } }
      group.addTask {
        try await Task.sleep(for: time.bounded)
        return nil
      }
      defer { group.cancelAll() }
      guard let outcome = try await group.next().flatMap({ $0 }) else {
        try Task.checkCancellation()
        throw ImageError(.timedOut, "no S3 credentials: \(source) has not answered in time")
      }
      return try outcome.get()
    }
  }

  private func finish(_ outcome: Result<TemporaryCredentials, ImageError>) {
    let now = date()
    state.finish(outcome, at: now)
    guard let outcome = state.outcome(at: now) else { return }
    for waiter in waiting {
      waiter.yield(outcome)
      waiter.finish()
    }
    waiting = []
  }
}

extension RoleCredentials: Hashable, Summarized {
  nonisolated var summary: KeyValuePairs<String, Any?> { ["source": "\(source)"] }

  static func == (one: RoleCredentials, other: RoleCredentials) -> Bool { one === other }

  nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Decides when credentials are renewed, and what a request gets meanwhile.
struct RoleState {
  /// How many seconds before their end credentials are renewed.
  static let margin = 300.0
  /// A request that is signed later than this many seconds before the end may arrive behind it.
  static let leastRest = 10.0
  private static let maximumPause = 60.0

  private var current: TemporaryCredentials?
  private var isRefreshing = false
  private var failure: ImageError?
  private var failureCount = 0
  private var nextAttempt = Date.distantPast

  private func rest(at now: Date) -> Double { current.map { $0.end.timeIntervalSince(now) } ?? 0 }

  /// Whether the caller has to start a refresh, which is then in flight.
  mutating func begins(at now: Date) -> Bool {
    let rest = rest(at: now)
    guard !isRefreshing, rest < Self.margin,
      now >= nextAttempt || rest <= Self.leastRest && failure == nil
    else { return false }
    isRefreshing = true
    return true
  }

  /// What a request gets: `nil` to wait for the refresh in flight. After a failure it gets that one,
  /// rather than wait for the next attempt, unless older credentials are still valid.
  func outcome(at now: Date) -> Result<S3Credentials, ImageError>? {
    if let current, rest(at: now) > Self.leastRest { return .success(current.credentials) }
    return isRefreshing ? nil : failure.map { .failure($0) }
  }

  mutating func finish(_ outcome: Result<TemporaryCredentials, ImageError>, at now: Date) {
    isRefreshing = false
    switch outcome {
    case .success(let new) where new.end.timeIntervalSince(now) > Self.leastRest:
      (current, failure, failureCount) = (new, nil, 0)
      // Those of a few minutes are not renewed with each request.
      nextAttempt = now.addingTimeInterval(
        min(Self.maximumPause, new.end.timeIntervalSince(now) / 2))
    case .success, .failure:
      failure = ImageError(.connectionFailed, "no S3 credentials: those that came have expired")
      if case .failure(let error) = outcome { failure = error }
      nextAttempt = now.addingTimeInterval(
        min(Self.maximumPause, Double(1 << min(failureCount, 6))))
      failureCount += 1
    }
  }
}

/// What signs the requests to a bucket.
enum S3Signer: Sendable, Hashable {
  case keys(S3Credentials)
  case role(RoleCredentials)

  /// See ``S3Bucket/init(_:environment:readFile:)``.
  init(
    environment: [String: String], region: String,
    readFile: (_ path: String) throws(ImageError) -> [UInt8]
  ) throws(ImageError) {
    func isSet(_ name: String) -> Bool { environment[name]?.isEmpty == false }
    var role: RoleSource?
    if !isSet("AWS_ACCESS_KEY_ID"), !isSet("AWS_SECRET_ACCESS_KEY"),
      isSet("AWS_WEB_IDENTITY_TOKEN_FILE") || !isSet("AWS_SHARED_CREDENTIALS_FILE")
    {
      role = try RoleSource(environment: environment, region: region)
    }
    self =
      if let role {
        .role(RoleCredentials(role))
      } else {
        .keys(try S3Credentials(environment: environment, readFile: readFile))
      }
  }
}
