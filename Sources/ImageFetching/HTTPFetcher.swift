import HTTPTypes
public import ImageModel

/// Fetches over HTTP/1.1 and HTTP/2 with libcurl: follows redirects, retries transient failures,
/// tries alternates, resumes interrupted transfers.
///
/// One fetcher has one set of connections and one thread; make one and share it.
public final class HTTPFetcher: DataFetching {
  private let engine: CurlEngine
  private let configuration: Configuration
  private let hostGuard: HostGuard
  private let pacer: RequestPacer?
  private let buckets: [String: S3Bucket]

  /// See ``Configuration/credentials``.
  public let credentials: OriginCredentials

  /// See ``Configuration/originHeaders``.
  public var originHeaders: OriginHeaders { configuration.originHeaders }

  /// Starts a fetcher.
  ///
  /// - Throws: `ImageError` with code `outOfMemory`.
  public init(_ configuration: Configuration = Configuration()) throws(ImageError) {
    self.configuration = configuration
    credentials = configuration.credentials
    var hostGuard = configuration.hostGuard
    hostGuard.exemptions.formUnion(configuration.connectTo.keys)
    hostGuard.isBehindProxy = configuration.proxy != nil
    self.hostGuard = hostGuard
    pacer = configuration.maximumRequestRatePerHost.map {
      RequestPacer(rate: $0, sleep: configuration.clock.sleep)
    }
    buckets = Dictionary(configuration.s3Buckets.map { ($0.name, $0) }) { $1 }
    engine = try CurlEngine(configuration.engine)
  }

  /// Cancels the exchanges in flight and closes all connections, without waiting for that.
  public func stop() { engine.stop() }

  /// Cancels the exchanges in flight, closes all connections and waits until the thread has ended.
  public func shutdown() async { await engine.shutdown() }

  /// See ``DataFetching/check(_:)``.
  public func check(_ url: String) throws(ImageError) {
    let url = credentials.extract(from: url)
    if LocalAddress.isNamed(by: url) {
      _ = try LocalAddress(fetchable: url)
    } else if S3Address.isNamed(by: url) {
      _ = try S3Address(fetchable: url)
    } else {
      _ = try WebURL(fetchable: url)
    }
  }

  /// See ``DataFetching/fetch(_:)``.
  public func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    if LocalAddress.isNamed(by: request.url) {
      let address = try LocalAddress(fetchable: request.url)
      return try FileFetcher.response(to: request, at: address, configuration.localRoots)
    }
    let start = ContinuousClock.now
    var budget = FetchBudget(request.limits.totalTime, now: configuration.clock.now)
    var request = request
    request.url = credentials.extract(from: request.url)
    var candidates = [request.url] + request.alternates.map { credentials.extract(from: $0) }
    while true {
      try Task.checkCancellation()
      let url = candidates.removeFirst()
      do {
        let answer = try await fetch(request, from: url, &budget)
        // This task may have waited for a thread: a purge in between must not seem earlier than the
        // request.
        let end = configuration.clock.date().addingTimeInterval(
          -(ContinuousClock.now - answer.result.endedAt).seconds)
        var response = FetchedResponse(
          head: answer.head, body: answer.body, requestCount: budget.requestCount,
          receivedByteCount: budget.receivedByteCount,
          requestTime: end.addingTimeInterval(-Double(answer.result.sinceSent) / 1e9),
          responseTime: end.addingTimeInterval(-Double(answer.result.sinceHead) / 1e9),
          elapsed: ContinuousClock.now - start)
        response.originHeaders = answer.originHeaders
        response.redirects = answer.redirects
        return response
      } catch let error as ImageError {
        guard !candidates.isEmpty, Self.allowsAlternate(error), budget.rest > .zero else {
          throw error
        }
      }
    }
  }

  private func fetch(
    _ request: FetchRequest, from text: String, _ budget: inout FetchBudget
  ) async throws -> FetchAttempt.Answer {
    let object = S3Address.isNamed(by: text) ? try self.object(at: text) : nil
    let url = try object?.url ?? request.hostRules.target(of: try WebURL(fetchable: text))
    var policy = configuration.retryPolicy
    if let count = request.maximumRetryCount { policy.maximumRetryCount = count }
    if request.failsWhileBusy, policy.busyTime != nil { policy.busyTime = .zero }
    var retryCount = 0
    var busy = (count: 0, waited: Duration.zero)
    while true {
      var attempt = FetchAttempt(
        engine: engine, hostGuard: hostGuard, request: request,
        store: request.canResume ? configuration.partialBodies?.store : nil,
        originHeaders: configuration.originHeaders, credentials: credentials, object: object,
        mayRedirect: configuration.mayRedirect, pacer: pacer, budget: budget)
      defer { budget = attempt.budget }
      let (answer, failure): (FetchAttempt.Answer?, ImageError)
      do {
        let made = try await attempt.run(url)
        guard RetryPolicy.isTransient(status: made.head.status) else {
          request.record(attempt, nil)
          return made
        }
        (answer, failure) = (
          made, FetchFailure.error(forStatus: made.head.status, fields: made.head.fields, url: text)
        )
      } catch var error as ImageError {
        error.host = attempt.hops.last?.host
        (answer, failure) = (nil, error)
      }
      request.record(attempt, failure)
      if answer == nil,
        let delay = policy.delay(afterBusy: failure, count: busy.count, waited: busy.waited)
      {
        busy = (busy.count + 1, busy.waited + delay)
        attempt.budget.deadline += delay
        try await configuration.clock.sleep(delay)
        continue
      }
      let chance = configuration.clock.chance()
      guard policy.retriesSilence || !attempt.wasSilent,
        let delay = policy.delay(after: failure, retryCount: retryCount, chance: chance),
        delay < attempt.budget.rest
      else {
        if let answer { return answer }
        throw failure
      }
      try await configuration.clock.sleep(delay)
      retryCount += 1
    }
  }

  private func object(at text: String) throws(ImageError) -> S3Object {
    let address = try S3Address(fetchable: text)
    guard let bucket = buckets[address.bucket] else {
      throw ImageError(
        .hostNotAllowed,
        "\(text): bucket \"\(address.bucket)\" is not configured; name it by HTTPFetcher.Configuration.s3Buckets",
        url: text)
    }
    return S3Object(bucket: bucket, address: address)
  }

  /// Whether another place may have what this one failed to give.
  private static func allowsAlternate(_ error: ImageError) -> Bool {
    switch error.code {
    case .httpStatus, .nameNotResolved, .connectionFailed, .connectionReset, .tlsFailed, .timedOut,
      .shortBody, .emptyBody, .protocolError, .tooManyRedirects, .hostNotAllowed,
      .redirectNotAllowed:
      true
    default: false
    }
  }
}

extension FetchRequest {
  /// Reports how a try ended: a failure is the last hop's alone, for the hosts before it answered.
  fileprivate func record(_ attempt: FetchAttempt, _ error: ImageError?) {
    let hops = attempt.hops
    guard let attemptEnded, let last = hops.last?.hostAndPort else { return }
    if let object = attempt.object {
      var error = error
      // A store says by a 503 what others say by a 429.
      if (error?.cause as? S3Failure)?.code == "SlowDown" { error?.status = 429 }
      return attemptEnded(object.address.host, error)
    }
    if hops.count > 1 {
      for host in Set(hops.map(\.hostAndPort)) where host != last { attemptEnded(host, nil) }
    }
    attemptEnded(last, error)
  }

  /// Whether a kept beginning may be continued: a plain GET for the whole.
  fileprivate var canResume: Bool {
    resumes && method == .get && !acceptsCompression
      && !headers.contains { field in
        [.range, .ifNoneMatch, .ifModifiedSince].contains(field.name)
      }
  }
}
