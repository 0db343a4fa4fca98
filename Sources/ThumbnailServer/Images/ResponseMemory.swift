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
  /// The bytes for the copies of an event loop.
  let loopByteCount: Int
  private let uses = Locked<[Uses]>([])
  /// The hits and misses that the cache directory has counted already.
  private let reported = Locked((hits: 0, misses: 0))
  private let observation: any AnyObject & Sendable

  /// The number of responses that were sent from the copies of one event loop.
  final class Uses: Sendable {
    let count = Atomic(0)
  }

  private final class SharedCount: Sendable {
    let forgotten = Atomic<UInt64>(0)
    let changes = Atomic<UInt64>(0)

    func raise() {
      forgotten.add(1, ordering: .sequentiallyConsistent)
      changed()
    }

    func changed() { changes.add(1, ordering: .sequentiallyConsistent) }
  }

  /// - Parameters:
  ///   - loopCount: The number of event loops, whose copies have up to a quarter of all bytes.
  ///   - maximumLifetime: In place of a minute if it is shorter.
  init(
    _ configuration: MemoryCacheConfiguration, disk: DiskCache, loopCount: Int = 1,
    maximumLifetime: Duration? = nil
  ) {
    self.maximumLifetime = min(60, maximumLifetime.map { $0 / .seconds(1) } ?? .infinity)
    var configuration = configuration
    let loopCount = max(1, loopCount)
    loopByteCount = min(2 << 20, configuration.maximumByteCount / 4 / loopCount)
    configuration.maximumByteCount -= loopByteCount * loopCount
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
      count.changed()
    }
  }

  /// The number of times that something was forgotten; see ``insert(_:for:under:accepting:begun:)``.
  var epoch: UInt64 { count.forgotten.load(ordering: .sequentiallyConsistent) }

  /// The number of times that a look-up may have begun to find something else: a copy of what was
  /// found is good while this is what it was before.
  var changeCount: UInt64 { count.changes.load(ordering: .sequentiallyConsistent) }

  func forgetAll() {
    count.raise()
    cache.removeAll()
    count.changed()
  }

  func addUses() -> Uses {
    let own = Uses()
    uses.withLock { $0.append(own) }
    return own
  }

  /// The counts of look-ups, those of the event loops' copies among them.
  var statistics: MemoryStatistics {
    var sums = cache.statistics
    sums.hitCount += uses.withLock { $0 }.reduce(0) { $0 + $1.count.load(ordering: .relaxed) }
    return sums
  }

  /// The number of seconds for which a response may be sent that lasts `lifetime` seconds.
  func lifetime(of lifetime: Double) -> Double { min(lifetime, maximumLifetime) }

  /// Stores a response until its end, unless something was forgotten since ``epoch`` had the given
  /// value.
  func insert(
    _ response: ReadyImage, for target: String, under prefix: String = "",
    accepting: ContentNegotiation, begun epoch: UInt64
  ) {
    let now = clock()
    guard epoch == self.epoch, response.end > now,
      response.body.readableBytes <= ResponseCache.maximumBodyByteCount
    else { return }
    let key = ResponseCache.key(target, under: prefix) { accepting }
    cache.insert(
      .ready(response), for: key, byteCount: response.cost,
      lifetime: .nanoseconds(response.end - now))
    if epoch != self.epoch { cache.remove(key) }
    count.changed()
  }

  func report(to disk: DiskCache) {
    let now = statistics
    reported.withLock { reported in
      disk.countMemory(
        hits: now.hitCount - reported.hits, misses: now.missCount - reported.misses)
      reported = (now.hitCount, now.missCount)
    }
  }
}
