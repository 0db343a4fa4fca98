import Synchronization

/// From a request to a picture: memory, disk, network, checks, decoding and storage, in one place.
///
///     let pipeline = try ImagePipeline(configuration)
///     let response = try await pipeline.image(for: ImageRequest(url: "https://example.org/a.jpg"))
///
/// A pipeline is safe to share between tasks. Requests that run at the same time share what they have in common:
/// the download, the decoding, and every processor up to where they differ.
public final class ImagePipeline: Sendable {
  /// What the pipeline was made of.
  public let configuration: Configuration
  let loader: ImageLoader
  private let isInvalid = Atomic(false)
  private let lastID = Atomic<UInt64>(0)

  /// What the loads of pictures have cost, those that failed included; feeds' documents do not count.
  public struct Totals: Sendable, Hashable {
    /// HTTP requests sent, redirects and retries included.
    public var requestCount = 0
    /// Bytes of bodies received.
    public var receivedByteCount = 0
  }

  /// Creates a pipeline, with threads of its own for decoding and files.
  ///
  /// - Throws: ``ImageError`` with code `outOfMemory` when the system grants no thread.
  public init(_ configuration: Configuration) throws(ImageError) {
    self.configuration = configuration
    loader = try ImageLoader(configuration)
  }

  /// Threads that may wait and compute.
  var executor: BlockingExecutor { loader.executor }

  /// Loads of bytes and makings of pictures under way.
  public var activeLoadCount: Int { loader.activeCount }

  /// Fetches that wait for a place.
  public var queuedFetchCount: Int { loader.queuedCount }

  /// What the loads of pictures have cost so far.
  public var totalCost: Totals { loader.totalCost }

  // MARK: Pictures

  /// Returns a picture from the nearest tier that has it.
  ///
  /// A picture in memory is returned on the caller's own thread, without a task, a wait or a system call.
  ///
  /// - Throws: ``ImageError``, or `CancellationError` when the task is cancelled; then the work ends at the next
  ///   stage, unless somebody else waits for it.
  nonisolated(nonsending) public func image(for request: ImageRequest) async throws -> ImageResponse
  {
    if let response = imageInMemory(for: request) { return response }
    return try await image(for: request, priority: .constant(request.priority), onUpdate: nil)
  }

  /// The picture where it is in memory and may be shown without asking; `nil` where it has to be loaded.
  public func imageInMemory(for request: ImageRequest) -> ImageResponse? {
    guard let response = loader.inMemory(request), !isInvalid.load(ordering: .relaxed) else {
      return nil
    }
    guard !configuration.observers.isEmpty else { return response }
    let id = announce(request)
    conclude(
      id, request, LoadRecorder(), since: .now,
      .success(LoadReport.Ending(response, to: request)))
    return response
  }

  /// Starts to load a picture and returns at once; the handle tells how it goes.
  ///
  /// The load ends with the handle: keep it, or its events, for as long as the picture is wanted.
  public func task(for request: ImageRequest) -> ImageTask {
    ImageTask(request, pipeline: self)
  }

  /// Starts to load a picture and returns what happens on the way: the placeholder at once, then progress and
  /// previews, then the picture or the failure as the last. Whoever iterates anew sees the latest of each.
  ///
  /// The load ends when nobody iterates or holds the sequence any more.
  public func events(for request: ImageRequest) -> ImageEvents {
    ImageEvents(task(for: request))
  }

  // MARK: Bytes

  /// Returns the encoded bytes of a picture, from the nearest tier that has them; processors and thumbnail of the
  /// request do not count.
  ///
  /// What comes from the network is checked as ``ImageRequest/check`` says before it is stored or returned. A store
  /// that fails does not fail the load: see ``DataResponse/storeFailure``.
  ///
  /// - Throws: ``ImageError``, or `CancellationError` when the task is cancelled; then the transfer ends, unless
  ///   another task waits for the same picture.
  public func data(for request: ImageRequest) async throws -> DataResponse {
    var asked = request
    if asked.storage == .automatic { asked.storage = .original }
    let plain = asked
    let order = LoadOrder(plain, configuration)
    return try await observed(order) { recorder in
      try await loader.data(
        order, LoadWatch(priority: .constant(plain.priority), recorder: recorder))
    } ending: {
      LoadReport.Ending($0, wasShared: $0.recorder !== $1)
    }
  }

  // MARK: Ends

  /// Ends every load, those to come as well, with an ``ImageError`` of code `invalidated`. What is in memory or
  /// on disk stays.
  public func invalidate() {
    isInvalid.store(true, ordering: .relaxed)
    loader.close(
      throwing: ImageError(.invalidated, "the pipeline was invalidated; make another one"))
  }

  /// Runs a task on the pipeline's own threads, so that work which loads many pictures does not go back and forth
  /// between them and the threads that Swift's tasks share.
  public func onOwnThreads<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withTaskExecutorPreference(executor) { try await body() }
  }

  /// Ends the pipeline's threads once what was begun is done. Nothing may be asked of it afterwards.
  public func close() async {
    await loader.background.finish()
    await executor.shutdown()
  }

  // MARK: What observers hear

  /// Loads a picture that is not in memory.
  func image(
    for request: ImageRequest, priority: LivePriority,
    onUpdate: (@Sendable (LoadUpdate) -> Void)?
  ) async throws -> ImageResponse {
    let order = LoadOrder(request, configuration)
    guard !configuration.observers.isEmpty else {
      return try await loader.image(
        order, LoadWatch(priority: priority, recorder: LoadRecorder(), onUpdate: onUpdate))
    }
    return try await observed(order) { recorder in
      try await loader.image(
        order, LoadWatch(priority: priority, recorder: recorder, onUpdate: onUpdate))
    } ending: {
      LoadReport.Ending($0, to: request, wasShared: $1.steps.isEmpty)
    }
  }

  func observed<Response>(
    _ order: LoadOrder, _ load: (LoadRecorder) async throws -> Response,
    ending: (Response, LoadRecorder) -> LoadReport.Ending
  ) async throws -> Response {
    let recorder = loader.recorder(for: order.request)
    guard !configuration.observers.isEmpty else { return try await load(recorder) }
    let (id, start) = (announce(order.request), ContinuousClock.now)
    do {
      let response = try await load(recorder)
      conclude(id, order.request, recorder, since: start, .success(ending(response, recorder)))
      return response
    } catch {
      conclude(id, order.request, recorder, since: start, .failure(error))
      throw error
    }
  }

  private func announce(_ request: ImageRequest) -> UInt64 {
    let id = lastID.add(1, ordering: .relaxed).newValue
    for observer in configuration.observers { observer.requestStarted(id, request) }
    return id
  }

  private func conclude(
    _ id: UInt64, _ request: ImageRequest, _ recorder: LoadRecorder,
    since start: ContinuousClock.Instant, _ result: Result<LoadReport.Ending, any Error>
  ) {
    let trace = LoadReport(
      id: id, request: request, steps: recorder.steps, elapsed: ContinuousClock.now - start,
      result: result)
    for observer in configuration.observers { observer.requestFinished(trace) }
  }
}
