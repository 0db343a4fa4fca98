/// From a request to the bytes of a picture: cache, network, checks and storage, in one place.
///
///     let pipeline = try ImagePipeline(configuration)
///     let response = try await pipeline.data(for: ImageRequest(url: "https://example.org/a.jpg"))
///
/// A pipeline is safe to share between tasks. Equal requests that run at the same time are one load.
public final class ImagePipeline: Sendable {
  /// What the pipeline was made of.
  public let configuration: Configuration
  let executor: BlockingExecutor
  private let loader: ImageLoader
  private let totals = Locked(Totals())
  private let loads: TaskCoalescer<LoadKey, Load, Never>

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
    executor = try BlockingExecutor(name: "images", threadCount: configuration.threadCount)
    // A load looks into the cache, checks and stores: all of it may block, so all of it runs there.
    loads = TaskCoalescer(executor: executor)
    loader = ImageLoader(
      configuration: configuration, executor: executor,
      queue: JobQueue(
        maximumRunning: configuration.maximumFetches,
        maximumPerHost: configuration.maximumFetchesPerHost))
  }

  /// What the loads of pictures have cost so far.
  public var totalCost: Totals { totals.withLock { $0 } }

  /// Returns the encoded bytes of a picture, from the nearest tier that has them.
  ///
  /// What comes from the network is checked as ``ImageRequest/check`` says before it is stored or returned. A store
  /// that fails does not fail the load: see ``DataResponse/storeFailure``.
  ///
  /// - Throws: ``ImageError``, or `CancellationError` when the task is cancelled; then the transfer ends, unless
  ///   another task waits for the same picture.
  public func data(for request: ImageRequest) async throws -> DataResponse {
    let load = try await loads.value(for: LoadKey(request)) { [self] in
      let meter = TransferMeter()
      defer { add(meter.reading) }
      return Load(response: try await loader.load(request, meter: meter), groups: request.groups)
    }
    // Whoever joined another's load still has groups of their own.
    if !request.groups.isSubset(of: load.groups) { try await loader.join(request) }
    return load.response
  }

  private func add(_ reading: TransferMeter.Reading) {
    totals.withLock { totals in
      totals.requestCount += reading.requestCount
      totals.receivedByteCount += reading.receivedByteCount
    }
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
    let executor = executor
    await withCheckedContinuation { continuation in
      do {
        // On a thread of its own: the executor's threads cannot wait for themselves to end.
        _ = try OSThread(name: "close") {
          executor.stop()
          continuation.resume()
        }
      } catch {
        continuation.resume()
      }
    }
  }
}

/// What makes two loads the same: everything but who asks, how urgently, and for which group.
private struct LoadKey: Hashable {
  private let request: ImageRequest

  init(_ request: ImageRequest) {
    var request = request
    request.priority = .normal
    request.groups = []
    self.request = request
  }
}

/// A load's answer, and the groups it was stored with.
private struct Load: Sendable {
  let response: DataResponse
  let groups: Set<String>
}
