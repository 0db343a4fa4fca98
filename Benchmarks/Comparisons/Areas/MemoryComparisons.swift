import CachePolicies
import Synchronization

/// Each operation of the memory tier compared with the simplest implementation: a dictionary with a
/// mutex, which evicts nothing. Two threads use the same keys.
enum MemoryComparisons {
  static let all =
    [EvictionPolicy.lru, .sieve, .s3FIFO, .wTinyLFU].map { policy in
      against("hit, \(policy)", mayCost: 20) { hits(tier(policy, room: 1 << 20)) }
    } + [
      against("miss", mayCost: 10) { misses(tier(.lru, room: 1 << 20)) },
      inserting("insert over an old value", mayCost: 150) { inserts(tier(.lru, room: 1 << 20)) },
      inserting("insert that evicts", mayCost: 160) { inserts(tier(.lru, room: 1024)) },
      Comparison("make a key of a URL of 55 bytes", count: 200_000) {
        Contest { count in keys(0, count) }
      },
      scaling("hit, lru, 2 threads") { hits(tier(.lru, room: 1 << 20)) },
      scaling("hit, sieve, 2 threads") { hits(tier(.sieve, room: 1 << 20)) },
      scaling("miss, 2 threads") { misses(tier(.lru, room: 1 << 20)) },
      scaling("insert that evicts, 2 threads") { inserts(tier(.lru, room: 1024)) },
      scaling("a dictionary behind a mutex, 2 threads") { Plain().hits },
      scaling("make a key of a URL, 2 threads") { keys },
    ]

  /// The operations of a thread, by its number.
  private typealias Work = @Sendable (_ thread: Int, _ count: Int) -> Void

  private final class Picture: Sendable {}
  private static let present = (0..<4096).map { MemoryKey("https://pic1.zhimg.com/v2-\($0).jpg") }
  private static let absent = (0..<4096).map { MemoryKey("absent \($0)") }
  private static let pictures = present.map { _ in Picture() }

  private static func tier(_ policy: EvictionPolicy, room: Int) -> MemoryCache<Picture> {
    var configuration = MemoryCacheConfiguration()
    configuration.policy = policy
    configuration.maximumByteCount = room
    let cache = MemoryCache<Picture>(configuration)
    for (key, picture) in zip(present, pictures) { cache.insert(picture, for: key, byteCount: 1) }
    return cache
  }

  // MARK: The operations

  private static func hits(_ cache: MemoryCache<Picture>) -> Work {
    let keys = present
    return { thread, count in
      var at = thread * 1237
      for _ in 0..<count {
        at = (at &+ 911) & 4095
        precondition(cache.value(for: keys[at]) != nil)
      }
    }
  }

  private static func misses(_ cache: MemoryCache<Picture>) -> Work {
    let keys = absent
    return { thread, count in
      var at = thread * 1237
      for _ in 0..<count {
        at = (at &+ 911) & 4095
        precondition(cache.value(for: keys[at]) == nil)
      }
    }
  }

  private static func inserts(_ cache: MemoryCache<Picture>) -> Work {
    let (keys, pictures) = (present, pictures)
    return { thread, count in
      var at = thread * 1237
      for _ in 0..<count {
        at = (at &+ 911) & 4095
        cache.insert(pictures[at], for: keys[at], byteCount: 1)
      }
    }
  }

  private static func keys(_ thread: Int, _ count: Int) {
    let urls = (0..<64).map { "https://pic1.zhimg.com/v2-8e1c0d9a1b2f3e4d5c6b7a8990a1\($0).jpg" }
    for index in 0..<count { consume(MemoryKey(urls[index & 63]).hashValue) }
  }

  /// The dictionary.
  private final class Plain: Sendable {
    private let values = Mutex(Dictionary(uniqueKeysWithValues: zip(present, pictures)))

    func hits(_ thread: Int, _ count: Int) {
      let keys = present
      var at = thread * 1237
      for _ in 0..<count {
        at = (at &+ 911) & 4095
        precondition(values.withLock { $0[keys[at]] } != nil)
      }
    }

    func inserts(_ thread: Int, _ count: Int) {
      let (keys, pictures) = (present, pictures)
      var at = thread * 1237
      for _ in 0..<count {
        at = (at &+ 911) & 4095
        values.withLock { $0[keys[at]] = pictures[at] }
      }
    }
  }

  // MARK: Their comparisons

  private static func against(
    _ name: String, mayCost: Double, _ work: @escaping @Sendable () -> Work
  ) -> Comparison {
    Comparison(name, beside: "a dictionary behind a mutex", count: 200_000, mayCost: mayCost) {
      let (work, plain) = (work(), Plain())
      return Contest {
        work(0, $0)
      } limit: {
        plain.hits(0, $0)
      }
    }
  }

  private static func inserting(
    _ name: String, mayCost: Double, _ work: @escaping @Sendable () -> Work
  ) -> Comparison {
    Comparison(name, beside: "a dictionary behind a mutex", count: 50_000, mayCost: mayCost) {
      let (work, plain) = (work(), Plain())
      return Contest {
        work(0, $0)
      } limit: {
        plain.inserts(0, $0)
      }
    }
  }

  private static func scaling(
    _ name: String, _ work: @escaping @Sendable () -> Work
  ) -> Comparison {
    Comparison(name, beside: "1 thread", clock: .wall, count: 400_000) {
      let work = work()
      return Contest {
        onThreads(2, $0, work)
      } limit: {
        work(0, $0)
      }
    }
  }
}
