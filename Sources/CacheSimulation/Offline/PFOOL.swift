/// PFOO-L, a bound: no policy hits more often, or more bytes. The cheapest intervals, or those that
/// are the cheapest for their bytes, that together fit the cache's bytes times the trace's length, at
/// any time.
///
/// Source: Berger, Beckmann, Harchol-Balter, "Practical Bounds on Optimal Caching with Variable
/// Object Sizes", SIGMETRICS 2018.
enum PFOOL {
  static func count(
    _ trace: CacheTrace, sizes: [Int]?, capacity: Int, byBytes: Bool = false
  ) -> SimulationCounts {
    let intervals = Intervals(of: trace, sizes: sizes, capacity: capacity, byBytes: byBytes)
    var counts = SimulationCounts()
    var room = UInt128(max(0, capacity)) * UInt128(trace.keys.count)
    for start in intervals.starts {
      let start = Int(start)
      let end = Int(intervals.next[start])
      let cost = UInt128(sizes?[start] ?? 1) * UInt128(end - start)
      if cost > room {
        // For a bound on bytes, the part of the interval that still fits.
        if byBytes { counts.hitByteCount += Int(UInt128(trace.sizes[end]) * room / cost) }
        break
      }
      room -= cost
      counts.hits += 1
      counts.hitByteCount += trace.sizes[end]
    }
    return counts
  }
}

/// The intervals between two requests for the same object: a cache that holds an object through one
/// gains a hit for its size times the interval's length. The size is that of the request at the
/// beginning: it is the one in the cache until the next request, which may have another, as in
/// ``PolicyCache/access(_:size:evictions:)``.
struct Intervals {
  let starts: [UInt32]
  let next: [UInt32]

  /// Without sizes, objects count. Objects larger than the capacity have no intervals. In the order
  /// of their costs, or of their costs for each byte.
  init(of trace: CacheTrace, sizes: [Int]?, capacity: Int, byBytes: Bool = false) {
    let next = trace.nextRequests()
    var costs: [(cost: Double, start: UInt32)] = []
    for start in trace.keys.indices where next[start] < UInt32(trace.keys.count) {
      let size = sizes?[start] ?? 1
      if size > capacity { continue }
      let length = UInt64(next[start]) - UInt64(start)
      let (cost, isTooMuch) = UInt64(size).multipliedReportingOverflow(by: length)
      let gain = byBytes ? max(1, Double(trace.sizes[Int(next[start])])) : 1
      costs.append((isTooMuch ? .infinity : Double(cost) / gain, UInt32(start)))
    }
    costs.sort { ($0.cost, $0.start) < ($1.cost, $1.start) }
    starts = costs.map(\.start)
    self.next = next
  }
}
