/// Counts that all processes share. No change of entries writes these words.
extension EntryTable {
  /// Counts a request, and returns the logical time of eviction.
  func tick() -> UInt32 { UInt32(truncatingIfNeeded: add(1, to: Word.clock)) }

  var policyClock: Double {
    get { Double(bitPattern: peek(Word.policy)) }
    set { poke(Word.policy, newValue.bitPattern) }
  }

  /// Adds to a counter; the counts of the last run may begin at zero.
  func count(_ counter: CacheCounter, by amount: Int, beginsRun: Bool) {
    guard isWritable, let place = CacheCounter.allCases.firstIndex(of: counter) else { return }
    if beginsRun {
      for index in CacheCounter.allCases.indices { poke(Word.runCounters + index, 0) }
    }
    add(UInt64(bitPattern: Int64(amount)), to: Word.counters + place)
    add(UInt64(bitPattern: Int64(amount)), to: Word.runCounters + place)
  }

  var counts: (total: [CacheCounter: Int], lastRun: [CacheCounter: Int]) {
    var (total, run): ([CacheCounter: Int], [CacheCounter: Int]) = ([:], [:])
    for (place, counter) in CacheCounter.allCases.enumerated() {
      let (sum, last) = (peek(Word.counters + place), peek(Word.runCounters + place))
      if sum > 0 { total[counter] = Int(clamping: sum) }
      if last > 0 { run[counter] = Int(clamping: last) }
    }
    return (total, run)
  }

  // MARK: Purges

  var purgeStamp: UInt64 { peek(Word.purgeCount) }
  /// When the latest purge was, in microseconds since 1970; 0 where there was none.
  @inline(__always) var lastPurge: Int64 { Int64(bitPattern: peek(Word.lastPurge)) }
}
