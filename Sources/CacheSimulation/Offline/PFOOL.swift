/// PFOO-L: no policy hits more often. The cheapest stretches that together fit the cache's bytes times the trace's
/// length, wherever they lie.
///
/// Source: Berger, Beckmann, Harchol-Balter, "Practical Bounds on Optimal Caching with Variable Object Sizes",
/// SIGMETRICS 2018.
enum PFOOL {
  static func count(_ trace: Trace, sizes: [Int]?, capacity: Int) -> SimulationCounts {
    let intervals = Intervals(of: trace, sizes: sizes, capacity: capacity)
    var counts = SimulationCounts()
    var room = UInt128(max(0, capacity)) * UInt128(trace.keys.count)
    for start in intervals.starts {
      let start = Int(start)
      let end = Int(intervals.next[start])
      let cost = UInt128(sizes?[start] ?? 1) * UInt128(end - start)
      if cost > room { break }
      room -= cost
      counts.hits += 1
      counts.hitByteCount += trace.sizes[end]
    }
    return counts
  }
}
