import CachePolicies
public import ImageModel
import LoadScheduling

/// Loads images before they are needed, each once, with bounded concurrency, at the priority of
/// prefetching; a request for one of them joins its load and raises its priority.
///
/// ``start(with:)`` returns at once, for lists that scroll; `load(_:isolation:report:)` reports
/// every image, for jobs. What was started ends with the prefetcher.
public final class ImagePrefetcher: Sendable {
  /// Where prefetched images are kept.
  public enum Destination: Sendable {
    /// The encoded bytes in the disk cache.
    case disk
    /// The decoded images in memory, and on disk what ``ImageRequest/storage`` specifies.
    case memory
  }

  /// The outcome of one request.
  public enum Outcome: Sendable {
    /// It was loaded, and is kept at the destination.
    case loaded(LoadReport.Ending)
    /// It was loaded, but the destination did not keep it.
    case notKept(reason: String)
    /// It was already kept, and no request was sent.
    case skipped
    /// The same was requested earlier in this prefetch.
    case duplicate
    /// It could not be loaded, or the pipeline has no such destination.
    case failed(ImageError)
  }

  /// The destination.
  public let destination: Destination
  private let loads: PrefetchLoads
  private let work: BoundedWork
  private let (stream, queue) = AsyncStream<Started>.makeStream()

  /// Creates a prefetcher.
  ///
  /// - Parameters:
  ///   - pipeline: Loads the images.
  ///   - destination: Where they are kept. Default: on disk; in memory if the pipeline has no disk
  ///     cache.
  ///   - maximumInFlight: The number of images loaded at once; less than 1 counts as 1.
  public init(
    _ pipeline: ImagePipeline, destination: Destination? = nil, maximumInFlight: Int = 6
  ) {
    self.destination =
      destination ?? (pipeline.configuration.diskCache == nil ? .memory : .disk)
    loads = PrefetchLoads(pipeline: pipeline, destination: self.destination)
    work = BoundedWork(maximumInFlight: maximumInFlight)
  }

  deinit {
    loads.state.withLock { state in
      state.worker?.cancel()
      for task in state.tasks.values { task.cancel() }
    }
  }

  // MARK: Lists

  /// Starts to load images, in this order, and returns at once; those that wait or are in flight
  /// are not started again. A failure is reported to
  /// the pipeline's observers alone.
  public func start(with requests: some Sequence<ImageRequest>) {
    loads.state.withLock { state in
      for request in requests {
        let key = loads.key(of: request)
        guard state.started[key] == nil else { continue }
        state.lastID += 1
        state.started[key] = state.lastID
        queue.yield(Started(id: state.lastID, key: key, request: request))
      }
      guard state.worker == nil else { return }
      state.worker = Task(priority: .low) { [loads, stream, work] in
        try? await work.run(stream) {
          await loads.load($0)
        } finished: { _ in
        }
      }
    }
  }

  /// Stops what was started for these images.
  public func stop(with requests: some Sequence<ImageRequest>) {
    let tasks = loads.state.withLock { state in
      requests.compactMap { request in
        state.started.removeValue(forKey: loads.key(of: request)).flatMap { state.tasks[$0] }
      }
    }
    for task in tasks { task.cancel() }
  }

  /// The number of started images that wait or are in flight.
  public var startedCount: Int { loads.state.withLock { $0.started.count } }

  // MARK: Jobs

  /// Loads many images and reports each.
  ///
  /// Memory grows with the number of requests only by the 16 bytes each that detect duplicates.
  ///
  /// - Parameters:
  ///   - requests: The images to load; the next element is read only when there is capacity.
  ///   - isolation: Where `report` is called: the caller's actor.
  ///   - report: Called for every request, one at a time, in the order of completion.
  /// - Throws: `CancellationError` if it was stopped; any error of the sequence or `report`. An
  ///   unavailable image does not end the run.
  public func load<Requests: AsyncSequence & Sendable>(
    _ requests: Requests, isolation: isolated (any Actor)? = #isolation,
    report: (ImageRequest, Outcome) async throws -> Void
  ) async throws where Requests.Element == ImageRequest {
    var iterator = requests.makeAsyncIterator()
    try await load(isolation: isolation, report) { try await iterator.next(isolation: isolation) }
  }

  /// The same for requests that are there already.
  public func load(
    _ requests: some Sequence<ImageRequest> & Sendable,
    isolation: isolated (any Actor)? = #isolation,
    report: (ImageRequest, Outcome) async throws -> Void
  ) async throws {
    var iterator = requests.makeIterator()
    try await load(isolation: isolation, report) { iterator.next() }
  }

  private func load(
    isolation: isolated (any Actor)?, _ report: (ImageRequest, Outcome) async throws -> Void,
    next: () async throws -> ImageRequest?
  ) async throws {
    let seen = Locked<Set<MemoryKey>>([])
    let stopCount = loads.state.withLock { $0.stopCount }
    try await work.run(isolation: isolation) { [loads] (request: ImageRequest) -> Ended in
      guard seen.withLock({ $0.insert(loads.key(of: request)).inserted }) else {
        return Ended(request: request, outcome: .duplicate)
      }
      let id = loads.state.withLock { state in
        state.lastID += 1
        return state.lastID
      }
      return Ended(
        request: request,
        outcome: try await loads.outcome(of: request, id: id) { $0.stopCount == stopCount })
    } finished: { ended in
      try await report(ended.request, ended.outcome)
    } next: {
      try await next()
    }
  }

  // MARK: Control

  /// Starts nothing new; loads in progress are finished.
  public func pause() { loads.state.withLock { $0.isPaused = true } }

  /// Continues after a pause.
  public func resume() { wake(.success(())) { $0.isPaused = false } }

  /// Cancels what is in flight and starts nothing that was requested before; calls of
  /// `load(_:isolation:report:)` throw `CancellationError`.
  public func stop() {
    let tasks = loads.state.withLock { state in
      state.stopCount += 1
      state.started = [:]
      return Array(state.tasks.values)
    }
    for task in tasks { task.cancel() }
    wake(.failure(CancellationError())) { _ in }
  }

  private func wake(
    _ result: Result<Void, any Error>, _ change: (inout PrefetchLoads.State) -> Void
  ) {
    let paused = loads.state.withLock { state in
      change(&state)
      defer { state.paused = [:] }
      return Array(state.paused.values)
    }
    for continuation in paused { continuation.resume(with: result) }
  }
}

/// The loads of a prefetcher: they do not keep it alive.
private struct PrefetchLoads: Sendable {
  struct State {
    var isPaused = false
    var stopCount = 0
    var lastID = 0
    var paused: [Int: CheckedContinuation<Void, any Error>] = [:]
    var tasks: [Int: Task<ImagePrefetcher.Outcome, any Error>] = [:]
    /// The ID of the load that was started for each image, until it ends.
    var started: [MemoryKey: Int] = [:]
    var worker: Task<Void, Never>?
  }

  let pipeline: ImagePipeline
  let destination: ImagePrefetcher.Destination
  let state = Locked(State())

  func load(_ started: Started) async {
    _ = try? await outcome(of: started.request, id: started.id) {
      $0.started[started.key] == started.id
    }
    state.withLock { state in
      if state.started[started.key] == started.id { state.started[started.key] = nil }
    }
  }

  func key(of request: ImageRequest) -> MemoryKey {
    pipeline.graph.memoryKey(of: request)
  }

  /// Loads an image once there is no pause, as long as it is wanted.
  func outcome(
    of request: ImageRequest, id: Int, where isWanted: (State) -> Bool
  ) async throws -> ImagePrefetcher.Outcome {
    while true {
      // Begun under the lock: nothing begins once `pause` or `stop` has returned.
      let task = try state.withLock {
        state throws(CancellationError) -> Task<ImagePrefetcher.Outcome, any Error>? in
        guard isWanted(state) else { throw CancellationError() }
        if state.isPaused { return nil }
        let task = Task { [pipeline, destination] in
          try await pipeline.prefetch(request, destination)
        }
        state.tasks[id] = task
        return task
      }
      guard let task else {
        try await waitWhilePaused(id)
        continue
      }
      defer { state.withLock { $0.tasks[id] = nil } }
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    }
  }

  private func waitWhilePaused(_ id: Int) async throws {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let result = state.withLock { state -> Result<Void, any Error>? in
          if Task.isCancelled { return .failure(CancellationError()) }
          if !state.isPaused { return .success(()) }
          state.paused[id] = continuation
          return nil
        }
        if let result { continuation.resume(with: result) }
      }
    } onCancel: {
      state.withLock { $0.paused.removeValue(forKey: id) }?
        .resume(throwing: CancellationError())
    }
  }
}

private struct Started: Sendable {
  let id: Int
  let key: MemoryKey
  let request: ImageRequest
}

/// The outcome of a request; not a tuple, which the optimizer of Swift 6.3 does not pass on as a
/// whole.
private struct Ended: Sendable {
  let request: ImageRequest
  let outcome: ImagePrefetcher.Outcome
}

extension ImagePipeline {
  fileprivate func prefetch(
    _ request: ImageRequest, _ destination: ImagePrefetcher.Destination
  ) async throws -> ImagePrefetcher.Outcome {
    var request = request
    request.priority = .prefetch
    do {
      switch destination {
      case .disk:
        guard configuration.diskCache != nil else {
          throw ImageError(
            .storeFailed,
            "the pipeline has no disk cache; set ImagePipeline.Configuration.diskCache")
        }
        if try await graph.isStored(request) { return .skipped }
        let response = try await data(for: request)
        guard response.path != nil else {
          return .notKept(
            reason: response.storeFailure?.message
              ?? "its origin, or ImageRequest.storage, does not allow it")
        }
        return .loaded(LoadReport.Ending(response, to: request))
      case .memory:
        guard graph.memory != nil else {
          throw ImageError(
            .storeFailed,
            "the pipeline keeps no images in memory; set ImagePipeline.Configuration.memory")
        }
        if graph.inMemory(request) != nil { return .skipped }
        let response = try await image(for: request)
        guard graph.inMemory(request) != nil else {
          return .notKept(
            reason: response.steps.last { $0.stage == .memory }?.outcome
              ?? "its origin, or the request, does not allow it")
        }
        return .loaded(LoadReport.Ending(response, to: request))
      }
    } catch let error as ImageError {
      return .failed(error)
    }
  }
}
