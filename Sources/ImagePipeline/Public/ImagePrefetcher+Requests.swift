import CachePolicies
public import ImageModel

extension ImagePrefetcher {
  /// The outcome of one request of a prefetch.
  public enum Outcome: Sendable {
    /// It was loaded, and is kept where the pipeline has a disk tier.
    case loaded(DataResponse)
    /// It was already kept, and no request was sent.
    case skipped
    /// The same was requested earlier in this prefetch.
    case duplicate
    /// It could not be loaded.
    case failed(ImageError)
  }

  /// Loads the bytes of many images into the disk tier, each once, with bounded concurrency, at the
  /// priority of prefetching; a request for one of them joins its load and raises its priority.
  ///
  /// Memory grows with the number of requests only by the 16 bytes each that detect duplicates.
  ///
  /// - Parameters:
  ///   - requests: The images to load; the next element is read only when there is capacity.
  ///   - pipeline: The pipeline that loads them.
  ///   - control: Pauses or stops the prefetch. Default: nothing does.
  ///   - isolation: Where `report` is called: the caller's actor.
  ///   - report: Called for every request, one at a time, in the order of completion.
  /// - Throws: `CancellationError` if it was stopped; any error of the sequence or `report`. An
  ///   unavailable image does not end the run.
  public func load<Requests: AsyncSequence & Sendable>(
    _ requests: Requests, with pipeline: ImagePipeline,
    control: PrefetchControl = PrefetchControl(),
    isolation: isolated (any Actor)? = #isolation,
    report: (ImageRequest, Outcome) async throws -> Void
  ) async throws where Requests.Element == ImageRequest {
    var iterator = requests.makeAsyncIterator()
    try await load(with: pipeline, control, isolation: isolation, report) {
      try await iterator.next(isolation: isolation)
    }
  }

  /// The same for requests that are there already.
  public func load(
    _ requests: some Sequence<ImageRequest> & Sendable, with pipeline: ImagePipeline,
    control: PrefetchControl = PrefetchControl(),
    isolation: isolated (any Actor)? = #isolation,
    report: (ImageRequest, Outcome) async throws -> Void
  ) async throws {
    var iterator = requests.makeIterator()
    try await load(with: pipeline, control, isolation: isolation, report) { iterator.next() }
  }

  private func load(
    with pipeline: ImagePipeline, _ control: PrefetchControl,
    isolation: isolated (any Actor)?, _ report: (ImageRequest, Outcome) async throws -> Void,
    next: () async throws -> ImageRequest?
  ) async throws {
    let seen = Locked<Set<MemoryKey>>([])
    try await run(isolation: isolation) { (request: ImageRequest) -> Ended in
      let key = request.memoryKey(cacheURL: pipeline.configuration.cacheURL(of: request.url))
      guard seen.withLock({ $0.insert(key).inserted }) else {
        return Ended(request: request, outcome: .duplicate)
      }
      let outcome = try await control.whileNotStopped { () -> Outcome in
        var quiet = request
        quiet.priority = .prefetch
        do {
          if try await pipeline.graph.isStored(quiet) { return .skipped }
          return .loaded(try await pipeline.data(for: quiet))
        } catch let error as ImageError {
          return .failed(error)
        }
      }
      return Ended(request: request, outcome: outcome)
    } finished: { ended in
      try await report(ended.request, ended.outcome)
    } next: {
      try await control.waitWhilePaused()
      return try await next()
    }
  }
}

/// The outcome of a request; not a tuple, which the optimizer of Swift 6.3 does not pass on as a
/// whole.
private struct Ended: Sendable {
  let request: ImageRequest
  let outcome: ImagePrefetcher.Outcome
}
