/// Belady's MIN: evicts the object whose next request is farthest. Optimal when all sizes are
/// equal; otherwise it ignores sizes and is not a bound.
///
/// A newcomer that fits is always admitted, as in `min` of libCacheSim.
///
/// Source: Belady, "A Study of Replacement Algorithms for a Virtual-Storage Computer", IBM Systems
/// Journal, 1966.
enum Belady {
  /// - Parameter sizes: That of each request's object; `nil` counts objects.
  static func count(
    _ trace: CacheTrace, sizes: [Int]?, capacity: Int, warmUp: Int
  ) -> SimulationCounts {
    var counts = SimulationCounts(warmHits: 0, evictions: 0)
    guard capacity > 0 else { return counts }
    let next = trace.nextRequests()
    // Residents are found by the request they wait for, in a maximum heap with stale items left in.
    var residents = [Int?](repeating: nil, count: trace.facts.objectCount)
    var awaited = [UInt32](repeating: 0, count: trace.facts.objectCount)
    var heap = FarthestHeap()
    var used = 0
    for (index, key) in trace.keys.enumerated() {
      let key = Int(key)
      let size = sizes?[index] ?? 1
      if let old = residents[key] {
        counts.hits += 1
        counts.hitByteCount += trace.sizes[index]
        if index >= warmUp { counts.warmHits? += 1 }
        // Room is made for its new size as for a newcomer.
        residents[key] = nil
        used -= old
        if size > capacity { counts.evictions? += 1 }
      }
      if size > capacity { continue }
      while used + size > capacity, let farthest = heap.pop() {
        let other = Int(farthest.key)
        guard let old = residents[other], awaited[other] == farthest.request else { continue }
        residents[other] = nil
        used -= old
        counts.evictions? += 1
      }
      residents[key] = size
      used += size
      awaited[key] = next[index]
      heap.push(FarthestHeap.Item(request: next[index], key: UInt32(key)))
    }
    return counts
  }
}

/// Objects by the index of the request they wait for, the farthest first.
private struct FarthestHeap {
  struct Item {
    let request: UInt32
    let key: UInt32
  }

  private var items: [Item] = []

  mutating func push(_ item: Item) {
    items.append(item)
    var at = items.count - 1
    while at > 0, items[(at - 1) / 2].request < item.request {
      items[at] = items[(at - 1) / 2]
      at = (at - 1) / 2
    }
    items[at] = item
  }

  mutating func pop() -> Item? {
    guard let top = items.first, let last = items.popLast() else { return nil }
    if items.isEmpty { return top }
    var at = 0
    while 2 * at + 1 < items.count {
      var child = 2 * at + 1
      if child + 1 < items.count, items[child + 1].request > items[child].request { child += 1 }
      if items[child].request <= last.request { break }
      items[at] = items[child]
      at = child
    }
    items[at] = last
    return top
  }
}
