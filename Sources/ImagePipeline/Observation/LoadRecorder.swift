import ImageFetching
import ImageModel

/// Records the stages of one load as they end, and makes their spans.
final class LoadRecorder: Sendable {
  private let recorded = Locked<[LoadStep]>([])
  private let listener: (@Sendable (LoadStep) -> Void)?
  let span: LoadSpan?

  /// `listener` receives every stage as it ends, on the thread that it ran on.
  init(span: LoadSpan? = nil, listener: (@Sendable (LoadStep) -> Void)? = nil) {
    self.span = span
    self.listener = listener
  }

  var steps: [LoadStep] { recorded.withLock { $0 } }

  func record(_ stage: LoadStage, _ outcome: String, since start: ContinuousClock.Instant) {
    record(LoadStep(stage, outcome, elapsed: ContinuousClock.now - start), nil)
  }

  func record(_ stage: LoadStage, _ error: any Error, since start: ContinuousClock.Instant) {
    record(LoadStep(stage, "\(error)", elapsed: ContinuousClock.now - start), error)
  }

  private func record(_ step: LoadStep, _ error: (any Error)?) {
    recorded.withLock { $0.append(step) }
    listener?(step)
    span?.ended(step, error)
  }

  /// Takes over the stages of another load whose work this one shares, if it is another one.
  func add(_ other: LoadRecorder) {
    guard other !== self else { return }
    recorded.withLock { $0 += other.steps }
    link(other)
  }

  /// Links the span to that of another load whose result this one gets, if it is another one.
  func link(_ other: LoadRecorder) {
    if other !== self, let span, let shared = other.span { span.link(shared) }
  }

  /// Sends a request, with the trace context that it belongs to. A response without the time of its
  /// request gets that of the clock.
  func fetch(
    _ request: FetchRequest, clock: () -> Date,
    _ send: (FetchRequest) async throws -> FetchedResponse
  ) async throws -> FetchedResponse {
    let sent = clock()
    var response = try await traced(request, send)
    response.requestTime = response.requestTime ?? sent
    return response
  }

  private func traced(
    _ request: FetchRequest, _ send: (FetchRequest) async throws -> FetchedResponse
  ) async throws -> FetchedResponse {
    if let span { return try await span.fetch(request, send) }
    var request = request
    TraceContext.current?.add(to: &request.headers)
    return try await send(request)
  }
}
