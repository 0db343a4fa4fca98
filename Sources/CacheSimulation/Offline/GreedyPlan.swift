/// A plan that fits at every moment: the cheapest intervals first, each if there is room for it
/// throughout. A policy with knowledge of the future can reach it; it is not a bound.
///
/// Source: PFOO-U of Berger, Beckmann, Harchol-Balter, SIGMETRICS 2018, made greedy.
enum GreedyPlan {
  static func count(
    _ trace: CacheTrace, sizes: [Int]?, capacity: Int, warmUp: Int
  ) -> SimulationCounts {
    let intervals = Intervals(of: trace, sizes: sizes, capacity: capacity)
    var counts = SimulationCounts(warmHits: 0)
    var occupancy = Occupancy(count: trace.keys.count)
    for start in intervals.starts {
      let start = Int(start)
      let end = Int(intervals.next[start])
      let size = sizes?[start] ?? 1
      guard occupancy.maximum(start..<end) + size <= capacity else { continue }
      occupancy.add(size, to: start..<end)
      counts.hits += 1
      counts.hitByteCount += trace.sizes[end]
      if end >= warmUp { counts.warmHits? += 1 }
    }
    return counts
  }
}

/// Bytes in use at each moment: a segment tree with additions to ranges and maxima over them, O(log
/// *n*) each.
struct Occupancy {
  private let leaves: Int
  /// The amount added to a node's whole range, and the maximum below including it.
  private var added: [Int]
  private var maxima: [Int]

  init(count: Int) {
    var leaves = 1
    while leaves < count { leaves *= 2 }
    self.leaves = leaves
    added = Array(repeating: 0, count: 2 * leaves)
    maxima = Array(repeating: 0, count: 2 * leaves)
  }

  func maximum(_ range: Range<Int>) -> Int { maximum(range, node: 1, 0, leaves) }

  mutating func add(_ amount: Int, to range: Range<Int>) { add(amount, range, node: 1, 0, leaves) }

  private func maximum(_ range: Range<Int>, node: Int, _ low: Int, _ high: Int) -> Int {
    if range.lowerBound <= low, high <= range.upperBound { return maxima[node] }
    if range.upperBound <= low || high <= range.lowerBound { return 0 }
    let middle = (low + high) / 2
    return added[node]
      + max(
        maximum(range, node: 2 * node, low, middle),
        maximum(range, node: 2 * node + 1, middle, high))
  }

  private mutating func add(
    _ amount: Int, _ range: Range<Int>, node: Int, _ low: Int, _ high: Int
  ) {
    if range.upperBound <= low || high <= range.lowerBound { return }
    if range.lowerBound <= low, high <= range.upperBound {
      added[node] += amount
      maxima[node] += amount
      return
    }
    let middle = (low + high) / 2
    add(amount, range, node: 2 * node, low, middle)
    add(amount, range, node: 2 * node + 1, middle, high)
    maxima[node] = added[node] + max(maxima[2 * node], maxima[2 * node + 1])
  }
}
