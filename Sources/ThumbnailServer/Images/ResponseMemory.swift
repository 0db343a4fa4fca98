import CachePolicies
import DiskCaching
import ImageModel
import NIOCore
import Synchronization

/// The memory tier and what empties it: purges of any process on the cache directory, refreshes of
/// days, new rules. A response that was begun before any of these does not enter it afterwards.
final class ResponseMemory: Sendable {
  let cache: ResponseCache
  let clock: @Sendable () -> UInt64
  /// The maximum number of seconds for which a response is sent without a disk look-up.
  private let maximumLifetime: Double
  private let count: SharedCount
  /// The hits and misses that the cache directory has counted already.
  private let reported = Locked((hits: 0, misses: 0))
  private let observation: any AnyObject & Sendable

  private final class SharedCount: Sendable {
    let value = Atomic<UInt64>(0)

    func raise() { value.add(1, ordering: .sequentiallyConsistent) }
  }

  /// - Parameter maximumLifetime: In place of a minute if it is shorter.
  init(
    _ configuration: MemoryCacheConfiguration, disk: DiskCache, maximumLifetime: Duration? = nil
  ) {
    self.maximumLifetime = min(60, maximumLifetime.map { $0 / .seconds(1) } ?? .infinity)
    let (cache, count) = (ResponseCache(configuration), SharedCount())
    self.cache = cache
    self.count = count
    clock = configuration.clock
    observation = disk.observePurges { isPurged in
      count.raise()
      cache.removeAll { response in
        switch response {
        case .ready(let response): isPurged(response.url)
        // Made of what was known of some image.
        case .placeholder: true
        }
      }
    }
  }

  /// The number of times that something was forgotten; see ``insert(_:for:under:accepting:lifetime:begun:)``.
  var epoch: UInt64 { count.value.load(ordering: .sequentiallyConsistent) }

  func forgetAll() {
    count.raise()
    cache.removeAll()
  }

  /// Stores a response that may be sent for `lifetime` seconds, unless something was forgotten
  /// since ``epoch`` had the given value.
  func insert(
    _ response: ReadyImage, for target: String, under prefix: String = "",
    accepting: ContentNegotiation, lifetime: Double, begun epoch: UInt64
  ) {
    let byteCount = response.body.readableBytes
    guard epoch == self.epoch, byteCount <= ResponseCache.maximumBodyByteCount, lifetime > 0
    else { return }
    let key = ResponseCache.key(target, under: prefix) { accepting }
    cache.insert(
      .ready(response), for: key, byteCount: byteCount + 2048,
      lifetime: .seconds(min(lifetime, maximumLifetime)))
    if epoch != self.epoch { cache.remove(key) }
  }

  func report(to disk: DiskCache) {
    let now = cache.statistics
    reported.withLock { reported in
      disk.countMemory(
        hits: now.hitCount - reported.hits, misses: now.missCount - reported.misses)
      reported = (now.hitCount, now.missCount)
    }
  }
}
