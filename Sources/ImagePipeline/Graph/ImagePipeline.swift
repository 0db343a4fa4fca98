public import ImageCodecs
public import ImageModel
import LoadScheduling
import Synchronization

/// From a request to an image: memory, disk, network, checks, decoding and storage, in one place.
///
///     let pipeline = try ImagePipeline(configuration)
///     let response = try await pipeline.image(for: ImageRequest(url: "https://example.org/a.jpg"))
///
/// A pipeline is safe to share between tasks. Requests that run at the same time share what they
/// have in common: the download, the decoding, and every processor up to where they differ.
public final class ImagePipeline: Sendable {
  /// The configuration of the pipeline.
  public let configuration: Configuration
  let graph: ImageGraph
  private let isInvalid = Atomic(false)
  private let lastID = Atomic<UInt64>(0)

  /// The costs of image loads, those that failed included; feeds' documents do not count.
  public struct Totals: Sendable, Hashable {
    /// HTTP requests sent, redirects and retries included.
    public var requestCount = 0
    /// Bytes of bodies received.
    public var receivedByteCount = 0
  }

  /// Creates a pipeline, with its own threads for decoding and files.
  ///
  /// - Throws: `ImageError` with code `outOfMemory` when the system grants no thread, and
  ///   `invalidArgument` for a count with which nothing could be loaded.
  public init(_ configuration: Configuration) throws(ImageError) {
    try configuration.check()
    self.configuration = configuration
    graph = try ImageGraph(configuration)
  }

  var executor: BlockingExecutor { graph.executor }

  /// Loads of bytes and makings of images under way.
  public var activeLoadCount: Int { graph.activeCount }

  /// Fetches that wait for a place.
  public var queuedFetchCount: Int { graph.queue.pendingCount }

  /// The costs of image loads so far, those in flight included.
  public var transferTotals: Totals { graph.costs.totals }

  /// The bodies of images that arrive now, in no order: the bytes received, a resumed prefix
  /// included, and the length, `nil` if the origin did not state it. For a display of progress,
  /// which reads it when it draws.
  public var arrivingBodies: [(receivedByteCount: Int, expectedByteCount: Int?)] {
    graph.costs.bodies
  }

  // MARK: Images

  /// Returns an image from the nearest tier that has it.
  ///
  /// An image in memory is returned on the caller's own thread, without a task, a wait or a system
  /// call.
  ///
  /// - Throws: `ImageError`, or `CancellationError` when the task is cancelled; then the work
  ///   ends at the next stage, unless another request waits for it. Invalid parameters (code
  ///   `invalidArgument`) and URLs are refused before anything is loaded, or observed.
  nonisolated(nonsending) public func image(
    for request: ImageRequest
  ) async throws -> ImageResponse {
    if let response = imageInMemory(for: request) { return response }
    return try await image(for: request, priority: .constant(request.priority), onUpdate: nil)
  }

  /// The image if it is in memory and may be shown without a load; `nil` if it must be loaded.
  public func imageInMemory(for request: ImageRequest) -> ImageResponse? {
    guard let response = graph.inMemory(request), !isInvalid.load(ordering: .relaxed) else {
      return nil
    }
    guard isObserved else { return response }
    let id = announce(request)
    conclude(
      id, request, graph.recorder(for: request), since: .now,
      .success(LoadReport.Ending(response, to: request)))
    return response
  }

  // MARK: Bytes

  /// Returns the encoded bytes that a request describes, from the nearest tier that has them: the
  /// original, or with a thumbnail or processors the encoded result.
  ///
  /// Bytes from the network are checked before they are stored or returned, see
  /// ``ImageRequest/Decoding``; the check, the thumbnails and the image of all requests for it share
  /// one decode. A store that fails does not fail the load: see ``DataResponse/storeFailure``. If a
  /// result is stored and its original is fresh, only the result is read.
  ///
  /// - Throws: `ImageError`, or `CancellationError` when the task is cancelled; then the work
  ///   ends, unless another task waits for it.
  public func data(for request: ImageRequest) async throws -> DataResponse {
    let resolved = try graph.resolve(request)
    if !isObserved {
      if isInvalid.load(ordering: .relaxed) { throw Self.invalidated }
      return try await graph.data(Load(graph, resolved, LoadRecorder()))
    }
    return try await observed(resolved) { recorder in
      try await graph.data(Load(graph, resolved, recorder))
    } ending: {
      LoadReport.Ending($0, to: request)
    }
  }

  /// Looks for originals on disk. The response to one that may be used without a request to its
  /// origin is its file, others are `nil`: much less work than a load of each.
  package func stored(_ requests: [ImageRequest]) async throws -> [DataResponse?] {
    if isInvalid.load(ordering: .relaxed) { throw Self.invalidated }
    let partCount = min(configuration.threadCount, requests.count / 16 + 1)
    return try await onOwnThreads {
      try await withThrowingTaskGroup(of: (Int, [DataResponse?]).self) { group in
        for part in 0..<partCount {
          let range = requests.count * part / partCount..<requests.count * (part + 1) / partCount
          group.addTask { (part, try requests[range].map { try self.stored($0) }) }
        }
        return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
          .flatMap(\.1)
      }
    }
  }

  private func stored(_ request: ImageRequest) throws -> DataResponse? {
    try Task.checkCancellation()
    let start = ContinuousClock.now
    var id: UInt64?
    let response = graph.stored(request) {
      if isObserved { id = announce(request) }
      return graph.recorder(for: request)
    }
    if let id, let response {
      conclude(
        id, request, response.recorder, since: start,
        .success(LoadReport.Ending(response, to: request)))
    }
    return response
  }

  /// Returns an original as `data(for:)` does, and thumbnails of it that are made with one decode
  /// and stored. Processors and thumbnail of the request do not count.
  ///
  /// - Throws: As `data(for:)` for the original, and for a recipe that fits no image; one that
  ///   does not fit this image throws nothing.
  public func data(
    for request: ImageRequest, thumbnails: [ThumbnailRecipe]
  ) async throws -> ThumbnailedResponse {
    if thumbnails.isEmpty, !request.isProcessed {
      return ThumbnailedResponse(original: try await data(for: request))
    }
    var plain = request
    plain.thumbnail = nil
    plain.processing = ProcessingChain()
    let resolved = try graph.resolve(plain, thumbnails: thumbnails)
    let start = ContinuousClock.now
    let response = try await observed(resolved) { recorder in
      let load = Load(graph, resolved, recorder)
      return try await graph.limited(load) { [graph] in
        try await graph.thumbnailed(load, thumbnails)
      }
    } ending: {
      LoadReport.Ending($0.original, to: resolved.request)
    }
    guard !configuration.observers.isEmpty else { return response }
    for (recipe, thumbnail) in zip(thumbnails, response.thumbnails) {
      guard case .success(let made) = thumbnail else { continue }
      plain.thumbnail = recipe
      conclude(
        announce(plain), plain, LoadRecorder(), since: start,
        .success(LoadReport.Ending(made, to: plain)))
    }
    return response
  }

  /// Returns the path of the read-only file with the bytes that a request describes; loads or makes
  /// them if they are not stored.
  ///
  /// - Throws: As `data(for:)`; `storeFailed` or the reason if they cannot be stored.
  public func file(for request: ImageRequest) async throws -> String {
    let response = try await data(for: request)
    if let path = response.path { return path }
    throw response.storeFailure
      ?? ImageError(.storeFailed, "the bytes are not stored", url: request.url)
  }

  /// Returns the path of the read-only file with the bytes that a request describes, whether they
  /// are fresh or not; `nil` if they are not stored. Sends no request.
  public func storedFile(for request: ImageRequest) async throws -> String? {
    let resolved = try graph.resolve(request)
    do { return try await graph.storedFile(resolved) } catch { throw resolved.failure(error) }
  }

  // MARK: Ends

  /// Fails all loads, current and future ones, with an `ImageError` of code `invalidated`. What is
  /// in memory or on disk stays.
  public func invalidate() {
    isInvalid.store(true, ordering: .relaxed)
    graph.close(throwing: Self.invalidated)
  }

  private static var invalidated: ImageError {
    ImageError(.invalidated, "the pipeline was invalidated; make another one")
  }

  /// Runs a task on the pipeline's own threads, so that work which loads many images does not
  /// switch between them and the threads that Swift's tasks share.
  ///
  /// - Throws: `ImageError` with code `invalidated` after ``close(within:)``; else that of `body`.
  public func onOwnThreads<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    if executor.hasEnded { throw Self.invalidated }
    return try await withTaskExecutorPreference(executor) { try await body() }
  }

  /// Waits for the loads in progress, refreshes in the background included, and ends the threads.
  /// Later loads fail with an `ImageError` of code `invalidated`.
  ///
  /// When the time is over, or the calling task is cancelled, the loads that are left fail with that
  /// code as well. A pipeline that is released without a call ends its threads, too, but later: once
  /// nothing uses it.
  ///
  /// - Parameter time: How long to wait for loads; up to a second more is given to work that ignores
  ///   its cancellation. Default: until they have ended.
  public func close(within time: Duration? = nil) async {
    isInvalid.store(true, ordering: .relaxed)
    let ending = Task { [graph] in
      await graph.finish()
      await graph.executor.shutdown()
    }
    if await ends(ending, within: time) { return }
    invalidate()
    // A fetcher may go on though its task is cancelled.
    let hasEnded = await Task { await ends(ending, within: .seconds(1)) }.value
    if !hasEnded { executor.stop() }
  }

  /// Waits for a task; false when the time is over or the caller is cancelled.
  private func ends(_ task: Task<Void, Never>, within time: Duration?) async -> Bool {
    let (results, continuation) = AsyncStream<Bool>.makeStream()
    let limit = Task { [sleep = configuration.queueClock.sleep] in
      guard let time, (try? await sleep(time)) != nil else { return }
      continuation.yield(false)
    }
    defer { limit.cancel() }
    Task {
      await task.value
      continuation.yield(true)
    }
    return await results.first { _ in true } ?? false
  }

  // MARK: What observers hear

  /// Loads an image that is not in memory.
  func image(
    for request: ImageRequest, priority: LivePriority,
    onUpdate: (@Sendable (LoadUpdate) -> Void)?
  ) async throws -> ImageResponse {
    let load = try prepare(request, priority, onUpdate)
    return try await isObserved ? observedImage(load) : graph.image(load)
  }

  @inline(never)
  private func prepare(
    _ request: ImageRequest, _ priority: LivePriority,
    _ onUpdate: (@Sendable (LoadUpdate) -> Void)?
  ) throws(ImageError) -> Load {
    let resolved = try graph.resolve(request)
    let recorder = graph.recorder(for: request)
    return Load(
      graph, resolved, LoadWatch(priority: priority, recorder: recorder, onUpdate: onUpdate))
  }

  @inline(never)
  private func observedImage(_ load: Load) async throws -> ImageResponse {
    try await observed(load.resolved, load.watch.recorder) { _ in
      try await graph.image(load)
    } ending: {
      LoadReport.Ending(
        $0, to: load.resolved.request, wasShared: load.watch.recorder.steps.isEmpty)
    }
  }

  private var isObserved: Bool { !configuration.observers.isEmpty || configuration.tracer != nil }

  /// Runs a load and notifies observers. A separate function: inlined, its copies of the response
  /// made the frames of callers without observers large.
  @inline(never)
  func observed<Response>(
    _ resolved: ResolvedRequest, _ recorder: LoadRecorder? = nil, isDocument: Bool = false,
    _ load: (LoadRecorder) async throws -> Response,
    ending: (Response) -> LoadReport.Ending
  ) async throws -> Response {
    let recorder =
      recorder
      ?? graph.recorder(
        for: resolved.request, span: isDocument ? "document load" : "image load")
    if isInvalid.load(ordering: .relaxed) {
      recorder.span?.end(.failure(Self.invalidated))
      throw Self.invalidated
    }
    let (id, start) = (announce(resolved.request), ContinuousClock.now)
    let result: Result<Response, any Error>
    do { result = .success(try await load(recorder)) } catch { result = .failure(error) }
    conclude(
      id, resolved.request, recorder, since: start, result.map(ending), isDocument: isDocument)
    return try result.get()
  }

  private func announce(_ request: ImageRequest) -> UInt64 {
    let id = lastID.add(1, ordering: .relaxed).newValue
    for observer in configuration.observers { observer.requestStarted(id, request) }
    return id
  }

  private func conclude(
    _ id: UInt64, _ request: ImageRequest, _ recorder: LoadRecorder,
    since start: ContinuousClock.Instant, _ result: Result<LoadReport.Ending, any Error>,
    isDocument: Bool = false
  ) {
    recorder.span?.end(result)
    let report = LoadReport(
      id: id, request: request, isDocument: isDocument, steps: recorder.steps,
      elapsed: ContinuousClock.now - start, result: result)
    for observer in configuration.observers { observer.requestFinished(report) }
  }
}
