/// A policy under which a trace can be replayed. The defaults of ``replay`` and ``makeAccess`` do
/// for all: they are requirements so that the compiler specialises them for each policy.
package protocol ReplayablePolicy {
  associatedtype Cache: ReplayedCache

  func emptyCache(capacity: Int, expectedCount: Int) -> Cache

  func replay(
    _ requests: PolicyReplay.Requests, warmUp: Int, capacity: Int, expectedCount: Int,
    progress: (Int) -> Bool
  ) -> PolicyReplay.Outcome

  func makeAccess(capacity: Int, expectedCount: Int) -> PolicyReplay.Access
}

package protocol ReplayedCache {
  static func key(_ number: UInt32) -> UInt64
  mutating func access(_ key: UInt64, size: Int, evictions: inout Int) -> Bool
}

extension ReplayablePolicy {
  package func replay(
    _ requests: PolicyReplay.Requests, warmUp: Int, capacity: Int, expectedCount: Int,
    progress: (Int) -> Bool
  ) -> PolicyReplay.Outcome {
    var cache = emptyCache(capacity: capacity, expectedCount: expectedCount)
    let split = max(0, min(warmUp, requests.keys.count))
    var outcome = (warmUp: PolicyReplay.Counts(), rest: PolicyReplay.Counts())
    if PolicyReplay.pass(&cache, requests, 0..<split, &outcome.warmUp, progress) {
      _ = PolicyReplay.pass(&cache, requests, split..<requests.keys.count, &outcome.rest, progress)
    }
    return outcome
  }

  package func makeAccess(capacity: Int, expectedCount: Int) -> PolicyReplay.Access {
    var cache = emptyCache(capacity: capacity, expectedCount: expectedCount)
    return { cache.access(Cache.key($0), size: $1, evictions: &$2) }
  }
}
