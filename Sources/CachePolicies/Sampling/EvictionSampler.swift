package import ImageModel

/// Chooses what to evict from an ``EvictionTable``: examines some residents chosen at random and
/// those found to be worth little before, and takes the one worth the least.
///
/// A store processes a request in this order:
/// 1. It adds 1 to its count of requests; the sum is the logical time `now`. A look-up that misses
///    and stores nothing is not counted, nor is an entry that is larger than the capacity.
/// 2. For a resident it calls ``requested(_:at:in:)``, and is done, unless the size has changed: then
///    it makes room as in 3, the entry itself among those that may be evicted.
/// 3. For a newcomer it calls ``admit(_:at:in:)``. If it does not fit and may be refused, it calls
///    ``refuses(_:_:byteCount:freeing:at:in:where:)``, and is done if so.
/// 4. As long as the newcomer does not fit, it calls ``victims(freeing:at:in:where:)`` with all
///    that is missing. For each victim in the order received it calls ``evict(_:at:in:)`` and removes
///    it: the last entry moves into its place.
/// 5. If the table has as many entries as it has room for, its room doubles
///    (``EvictionTableSize``). It appends the newcomer with the note received.
///
/// The last entry of the table, which is the newest, is always examined, so a newcomer that could
/// not be refused and is worth less than the others is the first victim of the next store.
///
/// The same calls on equal tables by a sampler of the same seed evict the same entries.
///
/// Source: Psounis, Prabhakar, "Efficient Randomized Web-Cache Replacement Schemes Using Samples
/// From Past Eviction Times", IEEE/ACM ToN 2002.
package struct EvictionSampler<Policy: SampledPolicy>: Sendable {
  @usableFromInline
  struct Candidate: Sendable {
    @usableFromInline var worth: Float
    @usableFromInline var age: UInt32
    @usableFromInline var index: Int
    @usableFromInline var key: UInt64

    @inlinable
    init(worth: Float, age: UInt32, index: Int, key: UInt64) {
      (self.worth, self.age, self.index, self.key) = (worth, age, index, key)
    }

    @inlinable @inline(__always)
    static func < (left: Candidate, right: Candidate) -> Bool {
      left.worth < right.worth || left.worth == right.worth && left.age > right.age
    }
  }

  package var policy: Policy
  /// The least of those examined last, in order.
  @usableFromInline var candidates: [Candidate] = []
  @usableFromInline var earlier: [Candidate] = []
  /// The worth of the last candidate once there are as many as are kept.
  @usableFromInline var greatestWorth = Float.infinity
  @usableFromInline var random: SplitMix64

  package init(_ policy: Policy, seed: UInt64 = 1) {
    self.policy = policy
    random = SplitMix64(seed: seed)
  }

  @inlinable
  package mutating func requested(
    _ index: Int, at now: UInt32, in table: inout some EvictionTable
  ) {
    var note = table[note: index]
    policy.requested(&note, isKnown: true, at: now, residents: table.count)
    table[note: index] = note
    policy.learn(from: table, at: now)
  }

  /// Counts the request for a newcomer, given by the hash of its key, and returns its note.
  @inlinable
  package mutating func admit(
    _ key: UInt64, at now: UInt32, in table: inout some EvictionTable
  ) -> EvictionNote {
    let ghost = policy.remembersEvicted ? table.removeGhost(of: key) : nil
    var note = ghost ?? EvictionNote(asked: now)
    policy.requested(&note, isKnown: ghost != nil, at: now, residents: table.count + 1)
    policy.learn(from: table, at: now)
    return note
  }

  /// Whether an admitted newcomer is worth less than a resident that would be evicted for it. Makes
  /// it a ghost then. Equals do not refuse one, so least recently used refuses none.
  @inlinable
  package mutating func refuses<Table: EvictionTable>(
    _ key: UInt64, _ note: EvictionNote, byteCount: Int, freeing missing: Int, at now: UInt32,
    in table: inout Table, where isEvictable: (Int) -> Bool = { _ in true }
  ) -> Bool {
    let worth = policy.worth(of: note, byteCount: byteCount, at: now)
    guard candidates(freeing: missing, upTo: worth, at: now, in: table, where: isEvictable) == nil
    else { return false }
    remember(key, note, at: now, in: &table)
    return true
  }

  @inlinable
  mutating func remember(
    _ key: UInt64, _ note: EvictionNote, at now: UInt32, in table: inout some EvictionTable
  ) {
    if policy.remembersEvicted, let replaced = table.remember(key, note, at: now) {
      policy.forgot(replaced, at: now)
    }
  }

  /// Makes a resident a ghost, which the caller removes from the table next.
  @inlinable
  package mutating func evict(_ index: Int, at now: UInt32, in table: inout some EvictionTable) {
    let note = table[note: index]
    let key = table.key(at: index)
    policy.evicted(note, byteCount: table.byteCount(at: index), at: now)
    remember(key, note, at: now, in: &table)
    // The last entry moves into the hole.
    let last = table.count - 1
    candidates.removeAll { $0.key == key }
    for place in candidates.indices where candidates[place].index == last {
      candidates[place].index = index
    }
  }

  /// Returns the residents to evict so that at least so many bytes are freed, by descending index:
  /// removed in this order, none of them is moved before its turn. At most
  /// ``SampleSize/victimCount``, which may not suffice.
  ///
  /// Those that turn out to be superfluous, because a larger one was chosen after them, stay.
  @inlinable
  package mutating func victims<Table: EvictionTable>(
    freeing byteCount: Int, at now: UInt32, in table: Table,
    where isEvictable: (Int) -> Bool = { _ in true }
  ) -> [Int] {
    var chosen =
      candidates(freeing: byteCount, upTo: .infinity, at: now, in: table, where: isEvictable) ?? []
    var freed = chosen.reduce(0) { $0 + table.byteCount(at: $1) }
    for place in chosen.indices.dropLast().reversed() {
      let size = table.byteCount(at: chosen[place])
      if freed - size >= byteCount {
        freed -= size
        chosen.remove(at: place)
      }
    }
    if chosen.count > 1 { chosen.sort(by: >) }
    return chosen
  }

  /// Returns residents of the least worth, in the order found; `nil` if one of them is worth more
  /// than the limit.
  @inlinable
  mutating func candidates<Table: EvictionTable>(
    freeing byteCount: Int, upTo limit: Float, at now: UInt32, in table: Table,
    where isEvictable: (Int) -> Bool
  ) -> [Int]? {
    var chosen: [Int] = []
    var freed = 0
    while freed < byteCount, chosen.count < SampleSize.victimCount {
      findCandidates(at: now, in: table) { isEvictable($0) && !chosen.contains($0) }
      guard let least = candidates.first else { break }
      if least.worth > limit { return nil }
      chosen.append(least.index)
      freed += table.byteCount(at: least.index)
    }
    return chosen
  }

  /// Examines all residents if they are few, else those kept from before, the newest and a sample;
  /// if none of them may be evicted, all.
  @inlinable
  mutating func findCandidates<Table: EvictionTable>(
    at now: UInt32, in table: Table, where isEvictable: (Int) -> Bool
  ) {
    let count = table.count
    swap(&candidates, &earlier)
    candidates.removeAll(keepingCapacity: true)
    greatestWorth = .infinity
    if count > SampleSize.examinedCount {
      for old in earlier where old.index < count && table.key(at: old.index) == old.key {
        examine(old.index, at: now, in: table, isEvictable)
      }
      examine(count - 1, at: now, in: table, isEvictable)
      for _ in 0..<SampleSize.runCount {
        var index = Int(truncatingIfNeeded: ((random.next() >> 32) &* UInt64(count)) >> 32)
        for _ in 0..<SampleSize.runLength {
          examine(index, at: now, in: table, isEvictable)
          index = index + 1 < count ? index + 1 : 0
        }
      }
    }
    if candidates.isEmpty {
      for index in 0..<count { examine(index, at: now, in: table, isEvictable) }
    }
  }

  /// Keeps an entry if it is among the least so far.
  @inlinable @inline(__always)
  mutating func examine<Table: EvictionTable>(
    _ index: Int, at now: UInt32, in table: Table, _ isEvictable: (Int) -> Bool
  ) {
    let note = table[note: index]
    let worth = policy.worth(of: note, byteCount: table.byteCount(at: index), at: now)
    if worth <= greatestWorth {
      keep(
        Candidate(worth: worth, age: note.age(at: now), index: index, key: table.key(at: index)),
        isEvictable)
    }
  }

  /// Keeps an entry in order, once.
  @inlinable @inline(never)
  mutating func keep(_ new: Candidate, _ isEvictable: (Int) -> Bool) {
    let isFull = candidates.count == SampleSize.candidateCount
    var place = candidates.count
    while place > 0, new < candidates[place - 1] { place -= 1 }
    if isFull, place == candidates.count { return }
    // An entry examined before is beside its equal.
    var equal = place
    while equal > 0, !(candidates[equal - 1] < new) {
      if candidates[equal - 1].index == new.index { return }
      equal -= 1
    }
    if !isEvictable(new.index) { return }
    if isFull { candidates.removeLast() }
    candidates.insert(new, at: place)
    if candidates.count == SampleSize.candidateCount {
      greatestWorth = candidates[candidates.count - 1].worth
    }
  }
}

/// How many residents are examined for a victim. Half as many cost up to a point of the gap to the
/// bound, twice as many gain up to half of one.
package enum SampleSize {
  @inlinable package static var runCount: Int { 8 }
  /// The number of neighbours examined from there: they share lines of the processor's cache.
  @inlinable package static var runLength: Int { 8 }
  /// Of no more residents than these all are examined.
  @inlinable package static var examinedCount: Int { runCount * runLength }
  @inlinable package static var candidateCount: Int { 16 }
  @inlinable package static var victimCount: Int { 64 }
}
