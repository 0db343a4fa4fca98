/// The stretches between two requests for the same object: a cache that holds an object through one gains a hit for
/// its size times the stretch's length. The size is the one it was asked for with where the stretch begins: with that it
/// lies in the cache until it is asked for again, perhaps with another, as in ``PolicyCache/access(_:size:evictions:)``.
struct Intervals {
  /// Requests at which a stretch begins, cheapest stretch first.
  let starts: [UInt32]
  let next: [UInt32]

  /// - Parameters:
  ///   - sizes: `nil` counts objects.
  ///   - capacity: Larger objects have no stretches.
  init(of trace: Trace, sizes: [Int]?, capacity: Int) {
    let next = trace.nextRequests()
    var costs: [(cost: UInt64, start: UInt32)] = []
    for start in trace.keys.indices where next[start] < UInt32(trace.keys.count) {
      let size = sizes?[start] ?? 1
      if size > capacity { continue }
      let length = UInt64(next[start]) - UInt64(start)
      let (cost, isTooMuch) = UInt64(size).multipliedReportingOverflow(by: length)
      costs.append((isTooMuch ? .max : cost, UInt32(start)))
    }
    costs.sort { ($0.cost, $0.start) < ($1.cost, $1.start) }
    starts = costs.map(\.start)
    self.next = next
  }
}
