#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Accesses and counts that are not yet written. A hit costs no write; every few seconds a batch
/// does.
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

  /// Accesses and counts that are written together.
  struct Batch: Sendable {
    var accesses: [Int64: Access]
    var counts: [CacheCounter: Int]
    var beginsRun: Bool
  }

  /// The number of accesses at which a batch is written at once.
  static let maximumCount = 4096
  /// The age at which a batch is written, in microseconds.
  static let maximumAge: Int64 = 5_000_000

  private var accesses: [Int64: Access] = [:]
  private var counts: [CacheCounter: Int] = [:]
  private var beganRun = false
  private var since: Int64?
  private var lastTime: Int64 = 0
  /// The key hashes of protected entries, which this instance does not evict.
  var protected: Set<UInt64> = []
  /// The key hashes of damaged entries that were reported: once each until they are stored again.
  var reported: Set<UInt64> = []
  /// Whether the last store failed because the disk was full or not writable.
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

  /// The last unwritten access to a row.
  func lastAccess(of row: Int64) -> Int64? { accesses[row]?.time }

  /// Counts an event, without reading the clock.
  mutating func count(_ counter: CacheCounter, by amount: Int = 1) {
    if since == nil { since = lastTime }
    counts[counter, default: 0] += amount
  }

  /// Whether it is time to write.
  func isDue(at time: Int64) -> Bool {
    guard let since else { return false }
    return accesses.count >= Self.maximumCount || time - since > Self.maximumAge || time < since
  }

  /// Takes what is to be written; `nil` when there is nothing.
  mutating func take() -> Batch? {
    let counted = counts.filter { $0.value != 0 }
    counts = [:]
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
    counts.merge(batch.counts, uniquingKeysWith: +)
    if batch.beginsRun { beganRun = false }
  }
}
