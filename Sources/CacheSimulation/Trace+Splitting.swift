extension Trace {
  /// The trace in parts of different keys, each a sample of its own: how much they differ tells the error of a sample.
  func split(into count: Int) -> [Trace] {
    var parts = [(keys: [UInt32], sizes: [Int])](repeating: ([], []), count: count)
    var numbers = [UInt32](repeating: 0, count: facts.objectCount)
    var known = [UInt32](repeating: 0, count: count)
    for (index, key) in keys.enumerated() {
      // Keys are numbered as they appear, so their numbers say nothing; still, mix them.
      let part = Int((UInt64(key) &* 0x9e37_79b9_7f4a_7c15) >> 40) % count
      if numbers[Int(key)] == 0 {
        known[part] += 1
        numbers[Int(key)] = known[part]
      }
      parts[part].keys.append(numbers[Int(key)] - 1)
      parts[part].sizes.append(sizes[index])
    }
    return parts.map { part(keys: $0.keys, sizes: $0.sizes, ofEvery: count) }
  }
}
