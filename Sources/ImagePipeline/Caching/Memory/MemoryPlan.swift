/// How a budget is shared out: a value, so that every case can be tested.
struct MemoryPlan {
  /// Somebody who holds memory.
  struct Holder {
    /// What it is due, compared with the others'.
    var weight: Double
    /// Bytes that it holds now.
    var byteCount: Int
  }

  /// What each holder may hold; together never more than the budget.
  ///
  /// Everybody is due a part by weight. Who wants less than that leaves the rest to those who want more: what
  /// somebody wants is what it holds and a quarter beside, at least 1 MiB.
  ///
  /// - Parameters:
  ///   - budget: Bytes in all.
  ///   - inFlight: Bytes of it that are taken for now, and cannot be had back.
  static func limits(
    budget: Int, inFlight: Int, pressure: MemoryPressure, holders: [Holder]
  ) -> [Int] {
    let available = max(0, Int(Double(budget) * pressure.budgetShare) - inFlight)
    let wanted = holders.map { $0.byteCount + max($0.byteCount / 4, 1 << 20) }
    var limits = [Int](repeating: 0, count: holders.count)
    var open = Set(holders.indices.filter { holders[$0].weight > 0 })
    var left = available
    // Those who want less than they are due get what they want; that leaves more for the others.
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
