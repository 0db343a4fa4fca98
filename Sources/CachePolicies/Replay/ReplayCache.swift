/// A cache that answers the requests of a trace one at a time, for a simulation of several caches.
///
/// A call costs a few nanoseconds more than in ``PolicyReplay``, which replays a whole trace.
package final class ReplayCache {
  private let answer: (UInt32, Int, inout Int) -> Bool

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - capacity: The limit of the sum of its entries' sizes.
  ///   - expectedCount: The number of keys to reserve room for.
  package init(_ subject: PolicyReplay.Subject, capacity: Int, expectedCount: Int = 0) {
    answer = PolicyReplay.visit(
      subject, capacity: capacity, expectedCount: expectedCount, Keeper())
  }

  /// Performs one request: a hit, or an insertion. An entry that is requested with another size has
  /// that size from then on.
  ///
  /// - Parameter evictions: Incremented by the number of evictions.
  package func access(_ number: UInt32, size: Int, evictions: inout Int) -> Bool {
    answer(number, size, &evictions)
  }

  /// Keeps a cache behind a closure, inside which its type is known.
  private struct Keeper: ReplayVisitor {
    func visit<Cache: ReplayedCache>(_ empty: Cache) -> (UInt32, Int, inout Int) -> Bool {
      var cache = empty
      return { cache.access(Cache.key($0), size: $1, evictions: &$2) }
    }
  }
}
