import HTTPTypes
import ImageFetching
import ImageModel
import LoadScheduling

/// Fetches, and hedges if the configuration enables it: sends a second request once the first
/// exceeds the 95th-percentile latency.
///
/// The first good response counts; the other request is cancelled, and its file is removed if it
/// arrived nevertheless. Hedging adds some requests to the origin, so it is optional.
struct HedgedFetcher: Sendable {
  let fetcher: any DataFetching
  let isHedging: Bool
  let clock: QueueClock
  private let latencies = Locked(LatencyEstimate())

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    guard isHedging, request.method == .get || request.method == .head else {
      return try await fetcher.fetch(request)
    }
    guard let delay = latencies.withLock({ $0.percentile95 }) else {
      return try await timed(request)
    }
    return try await race(request, after: delay)
  }

  private func timed(_ request: FetchRequest) async throws -> FetchedResponse {
    let start = clock.now()
    let response = try await fetcher.fetch(request)
    let elapsed = clock.now() - start
    latencies.withLock { $0.add(elapsed) }
    return response
  }

  private func race(_ request: FetchRequest, after delay: Duration) async throws -> FetchedResponse
  {
    try await withThrowingTaskGroup(of: FetchedResponse?.self) { group in
      group.addTask { try await self.timed(request) }
      group.addTask { await self.second(request, after: delay) }
      defer { group.cancelAll() }
      var failure: (any Error)?
      var winner: FetchedResponse?
      // Both ends are awaited, so that nothing is left behind.
      while let result = await group.nextResult() {
        switch result {
        case .success(let response?) where winner == nil:
          winner = response
          group.cancelAll()
        case .success: break
        case .failure(let error):
          // The first failed, after the tries that the fetcher allows it: then that is the answer.
          if failure == nil, !(error is CancellationError && winner != nil) { failure = error }
          group.cancelAll()
        }
      }
      if let winner { return winner }
      throw failure ?? CancellationError()
    }
  }

  /// The second request: to the first alternate where there is one, else to the same place.
  private func second(_ request: FetchRequest, after delay: Duration) async -> FetchedResponse? {
    do { try await clock.sleep(delay) } catch { return nil }
    var second = request
    if let alternate = request.alternates.first {
      second.url = alternate
      second.alternates = []
    }
    // The first holds the kept beginning, and what is shown while it grows.
    second.resumes = false
    second.progress = nil
    // What comes of it may help, and never harms.
    return try? await fetcher.fetch(second)
  }
}
