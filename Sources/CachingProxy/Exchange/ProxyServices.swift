import Dispatch
import HTTPCaching
import HTTPListening
import ImageFetching
import ImageModel
import LoadScheduling

struct ProxyServices: Sendable {
  let client: OriginClient
  let store: any StreamingResponseStore
  let cache: HTTPCache<StreamingEntry>
  let ready: ReadyResponses
  let flights: FlightTable
  let keys: RequestKeys
  let forwarded: ForwardedFields
  /// The keys of operators; `nil` if nothing can be removed over HTTP.
  let admins: Locked<[SigningKey]?>
  let metrics: ServerMetrics
  let tier: (any SharedResponseTier)?
  let exchanges: BackgroundTasks
  let via: ViaField
  let clock: @Sendable () -> Date
  let log: @Sendable (String) -> Void

  var profile: CacheProfile { cache.profile }
}

/// Tasks that outlive the requests that started them; their end can be waited for.
struct BackgroundTasks: Sendable {
  private let group = DispatchGroup()
  private let executor: BlockingExecutor

  init(on executor: BlockingExecutor) { self.executor = executor }

  @discardableResult
  func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    group.enter()
    return Task(executorPreference: executor) { [group] in
      await body()
      group.leave()
    }
  }

  func finish() async {
    await withUnsafeContinuation { continuation in
      group.notify(queue: .global()) { continuation.resume() }
    }
  }
}
