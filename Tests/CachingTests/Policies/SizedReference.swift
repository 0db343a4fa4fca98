/// A policy over entries of any size as a sorted array: the entry to evict first is the first one.
///
/// The rules are those of the papers and of `PolicyCache`: an entry that does not fit is not
/// admitted, and a hit with another size changes the size and evicts what no longer fits.
struct SizedReference {
  enum Rule: String, CaseIterable {
    case lru, fifo, clock, lfu, gdsf
  }

  struct Entry {
    let key: Int
    var size: Int
    var count = 1
    /// The time of the insertion, of the last hit, or for CLOCK of the last move to the end.
    var time: Int
    var rank = 0.0
  }

  let rule: Rule
  let capacity: Int
  private(set) var entries: [Entry] = []
  private(set) var evicted: [Int] = []
  private var time = 0
  private var inflation = 0.0

  init(_ rule: Rule, capacity: Int) {
    self.rule = rule
    self.capacity = capacity
  }

  var size: Int { entries.reduce(0) { $0 + $1.size } }

  /// Performs a request; the keys that it evicts are in `evicted` afterwards, in order.
  mutating func access(_ key: Int, size: Int) -> Bool {
    evicted = []
    if let at = entries.firstIndex(where: { $0.key == key }) {
      hit(at)
      if entries[at].size != size { resize(at, to: size) }
      return true
    }
    guard size <= capacity else { return false }
    while self.size + size > capacity { evict() }
    time += 1
    var entry = Entry(key: key, size: size, time: time)
    entry.rank = rank(of: entry)
    entries.append(entry)
    return false
  }

  private mutating func hit(_ at: Int) {
    time += 1
    // The insertion is not a reference for CLOCK.
    entries[at].count += 1
    if rule == .lru || rule == .lfu || rule == .gdsf { entries[at].time = time }
    entries[at].rank = rank(of: entries[at])
  }

  private mutating func resize(_ at: Int, to size: Int) {
    guard size <= capacity else {
      evicted.append(entries.remove(at: at).key)
      return
    }
    entries[at].size = size
    if rule == .lfu || rule == .gdsf {
      time += 1
      entries[at].time = time
      entries[at].rank = rank(of: entries[at])
    }
    while self.size > capacity { evict() }
  }

  private func rank(of entry: Entry) -> Double {
    switch rule {
    case .lru, .fifo, .clock: 0
    case .lfu: Double(entry.count)
    case .gdsf: inflation + Double(entry.count) / Double(max(1, entry.size))
    }
  }

  private mutating func evict() {
    entries.sort { ($0.rank, $0.time) < ($1.rank, $1.time) }
    while rule == .clock, entries[0].count > 1 {
      var spared = entries.removeFirst()
      time += 1
      spared.count = 1
      spared.time = time
      entries.append(spared)
    }
    let victim = entries.removeFirst()
    inflation = max(inflation, victim.rank)
    evicted.append(victim.key)
  }
}
