#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What happened and is not yet written down: accesses and counts. A hit costs no write; a batch
/// does, now and then.
struct AccessLedger {
  /// Accesses of one row.
  struct Access: Sendable {
    var time: Int64
    var count: Int

    mutating func add(_ more: Int, at time: Int64) {
      self.time = max(self.time, time)
      count += more
    }
  }

  /// What to write down together.
  struct Batch: Sendable {
    var accesses: [Int64: Access]
    var counts: [CacheCounter: Int]
    var beginsRun: Bool
  }

  /// A batch this large is written down at once.
  static let maximumCount = 4096
  /// A batch this old is written down at the next occasion, in microseconds.
  static let maximumAge: Int64 = 5_000_000

  private var accesses: [Int64: Access] = [:]
  private var counts = [Int](repeating: 0, count: CacheCounter.allCases.count)
  private var beganRun = false
  private var since: Int64?
  private var lastTime: Int64 = 0
  /// Key hashes of what was asked for by name: this instance does not evict them.
  var protected: Set<UInt64> = []
  /// Key hashes of damaged entries that were told of: once each until they are stored again.
  var reported: Set<UInt64> = []
  /// Whether the last store failed for want of room or permission.
  var isStoreFailing = false

  /// Grows with every call, so that of two accesses in one microsecond the later one is later.
  mutating func time(_ now: Date) -> Int64 {
    let now = now.microseconds
    // A clock that was set back counts from where it is now; only ties are broken.
    lastTime = lastTime - now > 1_000_000 ? now : max(now, lastTime + 1)
    return lastTime
  }

  mutating func touch(_ row: Int64, at time: Int64) {
    if since == nil { since = time }
    accesses[row, default: Access(time: time, count: 0)].add(1, at: time)
  }

  /// The last access of a row that is not written down yet.
  func lastAccess(of row: Int64) -> Int64? { accesses[row]?.time }

  /// Counts an event; it looks at no clock, so that a miss stays cheap.
  mutating func count(_ counter: CacheCounter, by amount: Int = 1) {
    if since == nil { since = lastTime }
    counts[counter.index] += amount
  }

  /// Whether it is time to write down.
  func isDue(at time: Int64) -> Bool {
    guard let since else { return false }
    return accesses.count >= Self.maximumCount || time - since > Self.maximumAge || time < since
  }

  /// Takes what is to be written down; `nil` when there is nothing.
  mutating func take() -> Batch? {
    var counted: [CacheCounter: Int] = [:]
    for counter in CacheCounter.allCases where counts[counter.index] != 0 {
      counted[counter] = counts[counter.index]
      counts[counter.index] = 0
    }
    if accesses.isEmpty, counted.isEmpty { return nil }
    let batch = Batch(accesses: accesses, counts: counted, beginsRun: !beganRun && !counted.isEmpty)
    if !counted.isEmpty { beganRun = true }
    accesses = [:]
    since = nil
    return batch
  }

  /// Puts back a batch that could not be written.
  mutating func restore(_ batch: Batch, at time: Int64) {
    since = time
    for (row, access) in batch.accesses {
      accesses[row, default: Access(time: access.time, count: 0)]
        .add(access.count, at: access.time)
    }
    for (counter, amount) in batch.counts { counts[counter.index] += amount }
    if batch.beginsRun { beganRun = false }
  }
}
