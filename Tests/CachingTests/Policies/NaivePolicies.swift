import Foundation

@testable import CachePolicies

/// Policies as in their papers, with arrays and searches instead of slots: references for the real
/// ones. Entries have size 1.
protocol NaivePolicy {
  init(capacity: Int)
  /// Whether it was a hit.
  mutating func access(_ key: Int) -> Bool
}

/// The newest is last; the hand is an index that moves towards the newest.
struct NaiveSIEVE: NaivePolicy {
  let capacity: Int
  var queue: [(key: Int, wasAsked: Bool)] = []
  var hand = 0
  init(capacity: Int) { self.capacity = capacity }

  mutating func access(_ key: Int) -> Bool {
    if let at = queue.firstIndex(where: { $0.key == key }) {
      queue[at].wasAsked = true
      return true
    }
    if queue.count == capacity {
      if hand >= queue.count { hand = 0 }
      while queue[hand].wasAsked {
        queue[hand].wasAsked = false
        hand = (hand + 1) % queue.count
      }
      // The next newer one slides under the hand; past the newest it begins at the oldest again.
      queue.remove(at: hand)
      if hand == queue.count { hand = 0 }
    }
    queue.append((key, false))
    return false
  }
}

struct NaiveSLRU: NaivePolicy {
  let capacity: Int
  var probation: [Int] = []
  var protected: [Int] = []
  init(capacity: Int) { self.capacity = capacity }

  mutating func access(_ key: Int) -> Bool {
    let isHit = probation.contains(key) || protected.contains(key)
    if isHit {
      probation.removeAll { $0 == key }
      protected.removeAll { $0 == key }
      protected.append(key)
      if protected.count > capacity * 4 / 5 { probation.append(protected.removeFirst()) }
    } else {
      if probation.count + protected.count == capacity {
        if probation.isEmpty { protected.removeFirst() } else { probation.removeFirst() }
      }
      probation.append(key)
    }
    return isHit
  }
}

/// Algorithm 1 of the paper.
struct NaiveS3FIFO: NaivePolicy {
  let capacity: Int
  var small: [Int] = []
  var main: [Int] = []
  var ghosts: [Int] = []
  var frequency: [Int: Int] = [:]
  init(capacity: Int) { self.capacity = capacity }

  mutating func access(_ key: Int) -> Bool {
    if small.contains(key) || main.contains(key) {
      frequency[key] = min(3, frequency[key, default: 0] + 1)
      return true
    }
    let wasGhost = ghosts.contains(key)
    ghosts.removeAll { $0 == key }
    while small.count + main.count == capacity { evict() }
    frequency[key] = 0
    if wasGhost { main.append(key) } else { small.append(key) }
    return false
  }

  private mutating func evict() {
    if !small.isEmpty, small.count * 10 >= capacity || main.isEmpty {
      var isDone = false
      while !isDone, !small.isEmpty {
        let key = small.removeFirst()
        if frequency[key, default: 0] > 1 {
          frequency[key] = 0
          main.append(key)
          if main.count > capacity - capacity / 10 { evictMain() }
        } else {
          if capacity * 9 / 10 > 0 { ghosts.append(key) }
          if ghosts.count > capacity * 9 / 10 { ghosts.removeFirst() }
          isDone = true
        }
      }
      if isDone || small.count + main.count < capacity { return }
    }
    evictMain()
  }

  private mutating func evictMain() {
    while true {
      let key = main.removeFirst()
      guard let asked = frequency[key], asked > 0 else { return }
      frequency[key] = asked - 1
      main.append(key)
    }
  }
}

/// Figure 4 of the paper.
struct NaiveARC: NaivePolicy {
  let capacity: Int
  var (t1, t2, b1, b2): ([Int], [Int], [Int], [Int]) = ([], [], [], [])
  var p = 0.0
  init(capacity: Int) { self.capacity = capacity }

  mutating func access(_ key: Int) -> Bool {
    if t1.contains(key) || t2.contains(key) {
      t1.removeAll { $0 == key }
      t2.removeAll { $0 == key }
      t2.append(key)
      return true
    }
    if b1.contains(key) {
      p = min(Double(capacity), p + max(Double(b2.count) / Double(b1.count), 1))
      replace(key)
      b1.removeAll { $0 == key }
      t2.append(key)
    } else if b2.contains(key) {
      p = max(0, p - max(Double(b1.count) / Double(b2.count), 1))
      replace(key)
      b2.removeAll { $0 == key }
      t2.append(key)
    } else {
      if t1.count + b1.count == capacity {
        if t1.count < capacity {
          b1.removeFirst()
          replace(key)
        } else {
          t1.removeFirst()
        }
      } else if t1.count + t2.count + b1.count + b2.count >= capacity {
        if t1.count + t2.count + b1.count + b2.count == 2 * capacity { b2.removeFirst() }
        replace(key)
      }
      t1.append(key)
    }
    return false
  }

  private mutating func replace(_ key: Int) {
    guard t1.count + t2.count == capacity else { return }
    let size = Double(t1.count)
    if !t1.isEmpty, size > p || (b2.contains(key) && size == p) || t2.isEmpty {
      b1.append(t1.removeFirst())
    } else {
      b2.append(t2.removeFirst())
    }
  }
}

/// GDSF-TB with all sizes 1: counts outlive eviction and decay, and a newcomer with the
/// lowest value is the victim.
struct NaiveGDSFTB: NaivePolicy {
  let capacity: Int
  var entries: [Int: (rank: Double, time: Int)] = [:]
  /// Counts in 256ths, and the moment each was counted at.
  var counts: [Int: (count: UInt32, moment: Int)] = [:]
  var clock = 0.0
  var time = 0
  init(capacity: Int) { self.capacity = capacity }

  mutating func access(_ key: Int) -> Bool {
    // Sixteen accesses a sixteenth of a half-life, as below sixteen residents.
    let moment = time / 16
    time += 1
    let isHit = entries[key] != nil
    let old = counts[key] ?? (0, moment)
    let age = moment - old.moment
    let share = UInt32((65_536 * pow(2, -Double(age % 16) / 16)).rounded())
    let faded = old.count * share / 65_536 / UInt32(1 << (age / 16))
    // Below a quarter of an access it is forgotten.
    let count = min(15 * 256, (faded >= 64 ? faded : 0) + 256)
    counts[key] = (count, moment)
    entries[key] = (clock + Double(count) / 256, time)
    if entries.count > capacity,
      let least = entries.min(by: {
        ($0.value.rank, $0.value.time) < ($1.value.rank, $1.value.time)
      })
    {
      clock = max(clock, least.value.rank)
      entries[least.key] = nil
    }
    return isHit
  }
}

/// W-TinyLFU with a window of fixed size, one by one, over entries of size 1: arrays in place of
/// lists, oldest first. The sketch is the real one.
struct NaiveWTinyLFU: NaivePolicy {
  static let windowShare = 0.3

  let capacity: Int
  private let windowRoom: Int
  private var window: [Int] = []
  private var probation: [Int] = []
  private var protected: [Int] = []
  private var sketch = FrequencySketch(expectedCount: 1024)

  init(capacity: Int) {
    self.capacity = capacity
    windowRoom = max(1, Int(Double(capacity) * Self.windowShare))
  }

  private var count: Int { window.count + probation.count + protected.count }

  mutating func access(_ key: Int) -> Bool {
    sketch.add(UInt64(key), period: 10 * max(count, 16))
    if let at = window.firstIndex(of: key) {
      window.append(window.remove(at: at))
      return true
    }
    if let at = protected.firstIndex(of: key) {
      protected.append(protected.remove(at: at))
      return true
    }
    if let at = probation.firstIndex(of: key) {
      protected.append(probation.remove(at: at))
      if protected.count > Int(Double(capacity - windowRoom) * 0.8) {
        probation.append(protected.removeFirst())
      }
      return true
    }
    window.append(key)
    if window.count > windowRoom { leaveWindow() }
    return false
  }

  /// The oldest of the window competes with the oldest of the main part where there is no room.
  private mutating func leaveWindow() {
    let candidate = window.removeFirst()
    if count + 1 > capacity {
      guard let victim = probation.first ?? protected.first,
        sketch.estimate(UInt64(victim)) < sketch.estimate(UInt64(candidate))
      else { return }
      if probation.isEmpty { protected.removeFirst() } else { probation.removeFirst() }
    }
    probation.append(candidate)
  }
}

extension PolicyCache {
  /// One request, without a count of evictions.
  mutating func access(_ key: UInt64, size: Int) -> Bool {
    var evictions = 0
    return access(key, size: size, evictions: &evictions)
  }
}

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
