/// Least frequently used, since it came; among equals the one not asked for the longest goes. Never ages: for
/// comparison in the simulator.
struct LFUPolicy: EvictionPolicy {
  let name = "lfu"
  var inflation = 0.0

  func rank(of entry: EvictionFacts) -> Double { Double(entry.accessCount) }

  mutating func evicted(rank: Double) {}
}
