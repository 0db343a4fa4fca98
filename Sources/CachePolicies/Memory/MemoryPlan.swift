/// How a budget is split: a value, so that every case can be tested.
enum MemoryPlan {
  /// Splits a part of the budget by weight; unused shares go to holders with more demand.
  ///
  /// A holder's demand is what it holds and a quarter more, at least 1 MiB. What is in flight
  /// cannot be reclaimed, and the limits together never exceed the rest.
  static func limits(
    budget: Int, share: Double = 1, inFlight: Int, holders: [(weight: Double, byteCount: Int)]
  ) -> [Int] {
    var left = max(0, Int(Double(budget) * share) - inFlight)
    let wanted = holders.map { $0.byteCount + max($0.byteCount / 4, 1 << 20) }
    var limits = [Int](repeating: 0, count: holders.count)
    var open = Set(holders.indices.filter { holders[$0].weight > 0 })
    // Holders that want less than their share get what they want; that leaves more for the others.
    while true {
      let total = open.reduce(0) { $0 + holders[$1].weight }
      let due = { (index: Int) in Int(Double(left) * holders[index].weight / total) }
      let modest = open.filter { wanted[$0] <= due($0) }
      if modest.isEmpty || modest.count == open.count {
        for index in open { limits[index] = due(index) }
        return limits
      }
      for index in modest {
        limits[index] = wanted[index]
        open.remove(index)
      }
      left -= modest.reduce(0) { $0 + wanted[$1] }
    }
  }
}
