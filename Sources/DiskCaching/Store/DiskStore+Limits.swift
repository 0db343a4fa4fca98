import CachePolicies
package import ImageModel
import Synchronization
import TextEncodings

/// Keeping the files of images, their folders and the index within the limit, in the transaction
/// that would exceed it. Documents have no limit.
extension DiskStore {
  func budget(_ totals: IndexTotals = IndexTotals()) -> DiskBudget {
    DiskBudget(
      maximumByteCount: limit, beside: totals, countsOverhead: configuration.countsOverhead)
  }

  private struct Room {
    let budget: DiskBudget
    var byteCount: Int
    /// Files about to be added.
    var addedCount = 0

    func excess(in totals: IndexTotals) -> Int {
      totals.images.countedByteCount
        + budget.folderByteCount(fileCount: totals.images.count + addedCount) - byteCount
    }

    /// Bytes of the entries to evict; 0 for none. With a file its share of the folders goes.
    func missing(in totals: IndexTotals) -> Int {
      let excess = excess(in: totals)
      let files = totals.images.count
      let folder =
        budget.folderByteCount(fileCount: files) - budget.folderByteCount(fileCount: files - 1)
      return excess > 0 ? max(excess - folder, 1) : 0
    }
  }

  /// The maximum size of the files when the index grows.
  private func room(adding growth: Int, _ writer: IndexWriter) -> Room {
    let budget = budget(writer.totals)
    // An index made larger under another limit is made smaller by ``boundIndex``.
    let index = min(writer.byteCount + growth, budget.maximumIndexByteCount)
    return Room(budget: budget, byteCount: budget.fileRoom(indexByteCount: index))
  }

  /// The maximum size of the files when a record and its bytes are added.
  private func room(
    for record: CacheRecord, replacing old: IndexEntry?, addsFile: Bool, adding growth: Int,
    _ writer: IndexWriter
  ) -> Room {
    var room = room(adding: growth, writer)
    guard let content = record.content, BlobArea(of: record.key) == .images else { return room }
    if addsFile, old?.record.content?.hash != content.hash {
      room.byteCount -= BlobStore.counted(content.byteCount)
    }
    room.addedCount = 1
    // The replaced bytes are removed in the same change, unless others have the same.
    if let old, let replaced = old.record.content {
      room.addedCount = 0
      if replaced.hash != content.hash, !writer.isShared(replaced.hash, in: .images) {
        let freed = BlobStore.counted(replaced.byteCount)
        room.byteCount = min(room.byteCount, .max - freed) + freed
      }
    }
    return room
  }

  /// Bytes by which the index may grow when a record replaces another, or is added.
  private func growth(
    by record: CacheRecord, replacing old: IndexEntry?, _ writer: IndexWriter
  ) -> Int {
    let text = record.key.name.utf8.count + record.key.recipe.utf8.count
    return text + record.headers.text.utf8.count + record.thumbHash.count + 512
      + (old == nil ? writer.growthByteCount : 0)
  }

  /// Whether a record fits without eviction, also when no other record has its bytes.
  func fits(_ record: CacheRecord, replacing old: IndexEntry?, _ writer: IndexWriter) -> Bool {
    guard record.content != nil, !writer.isWorthRewriting else { return false }
    let growth = growth(by: record, replacing: old, writer)
    let room = room(for: record, replacing: old, addsFile: true, adding: growth, writer)
    return writer.byteCount + growth <= room.budget.maximumIndexByteCount
      && room.excess(in: writer.totals) <= 0
  }

  /// Evicts until a record and, if no other has them, its bytes fit. Throws `notAdmitted` for a
  /// newcomer, with this note, that is refused.
  func makeRoom(
    for record: CacheRecord, _ note: EvictionNote, replacing old: IndexEntry?, addsFile: Bool,
    at tick: UInt32,
    _ writer: IndexWriter
  ) throws {
    let born = old?.match.entry.born
    let groups = record.groups.union(old?.record.groups ?? [])
    if try record.content != nil && !writer.enter(groups).isEmpty {
      // Its room is beside the limit.
      if writer.isWorthRewriting { try writer.rewrite() }
      return
    }
    let growth = growth(by: record, replacing: old, writer)
    try boundIndex(adding: growth, keeping: born, at: tick, writer)
    if record.isNegative {
      try boundNegatives(adding: old?.record.isNegative == true ? 0 : 1, keeping: born, writer)
    }
    let room = room(for: record, replacing: old, addsFile: addsFile, adding: growth, writer)
    guard canShrink(to: room, keeping: born, writer) else {
      guard addsFile, !record.isNegative, BlobArea(of: record.key) == .images else { return }
      throw ImageError(
        .cacheFull,
        """
        \(record.key.name) (\(Measure.bytes(record.byteCount))) does not fit: requested entries and \
        the index fill the \(Measure.bytes(limit)) of the cache; raise \(Self.limitSetting)
        """)
    }
    if old == nil, addsFile,
      refuses(record, note, room.missing(in: writer.totals), at: tick, writer)
    {
      throw ImageError(
        .notAdmitted, "\(record.key.name) is worth less to the cache, which is full, than others")
    }
    try shrink(to: room, keeping: born, at: tick, writer)
  }

  /// Whether an image that was not requested by name is worth less than those it would evict.
  private func refuses(
    _ record: CacheRecord, _ note: EvictionNote, _ missing: Int, at tick: UInt32,
    _ writer: IndexWriter
  ) -> Bool {
    let (key, table, isSpared) = (record.key.indexHash, writer.table, spared(keeping: nil))
    guard configuration.refusesNewcomers, missing > 0, !record.isNegative,
      BlobArea(of: record.key) == .images, !ledger.withLock({ $0.protected.contains(key) })
    else { return false }
    let size = BlobStore.counted(record.byteCount)
    return eviction.withLock {
      $0.refuses(key, note, size, missing, tick, table) { place in
        table.isEvictable(at: place) && !isSpared(place, table)
      }
    }
  }

  /// Evicts until index and files are within the limits, as far as entries may be evicted; with
  /// `orNothing` no file where not enough may be.
  func enforceLimits(
    _ writer: IndexWriter, keeping born: UInt64? = nil, orNothing: Bool = false
  ) throws {
    let tick = writer.table.tick()
    try boundIndex(adding: 0, keeping: born, at: tick, writer)
    try boundNegatives(adding: 0, keeping: born, writer)
    let room = room(adding: 0, writer)
    if orNothing, !canShrink(to: room, keeping: born, writer) { return }
    try shrink(to: room, keeping: born, at: tick, writer)
  }

  /// Sets the limit of this instance, and evicts until it holds, as far as entries may be evicted.
  package func setMaximumByteCount(_ count: Int) throws(ImageError) {
    limitWord.store(max(0, count), ordering: .relaxed)
    guard index.mode == .writing else { return }
    try index.write { try self.enforceLimits($0) }
  }

  /// Evicts until the limit of images holds, as a store does. Throws `cacheFull`, and evicts
  /// nothing, where what was requested by name alone exceeds it.
  package func makeRoomForRequested() throws(ImageError) {
    let now = statistics()
    guard index.mode == .writing, now.countedByteCount > now.maximumByteCount else { return }
    let fits = try index.write { writer in
      let fits = self.canShrink(to: self.room(adding: 0, writer), keeping: nil, writer)
      try self.enforceLimits(writer, orNothing: true)
      return fits
    }
    guard !fits else { return }
    throw ImageError(
      .cacheFull,
      """
      requested entries and the index take \(Measure.bytes(now.countedByteCount)), more than \
      the \(Measure.bytes(now.maximumByteCount)) of the cache; nothing was removed; raise \
      \(Self.limitSetting)
      """)
  }

  /// Whether files and folders fit once enough entries are evicted, except the one born as given.
  private func canShrink(to room: Room, keeping born: UInt64?, _ writer: IndexWriter) -> Bool {
    let excess = room.excess(in: writer.totals)
    if excess <= 0 { return true }
    let most = writer.evictable(upTo: excess, sparing: spared(keeping: born))
    var rest = writer.totals
    rest.add(byteCount: -most.byteCount, in: .images)
    rest.images.count -= most.count
    return room.excess(in: rest) <= 0
  }

  /// Evicts until files and folders fit, or no entry is left that may be evicted.
  private func shrink(
    to room: Room, keeping born: UInt64?, at tick: UInt32, _ writer: IndexWriter
  ) throws {
    let isSpared = spared(keeping: born)
    while case let missing = room.missing(in: writer.totals), missing > 0 {
      guard try evict(missing, sparing: isSpared, at: tick, writer) else { return }
    }
  }

  /// Evicts entries of at least so many bytes, and returns whether there were any.
  private func evict(
    _ byteCount: Int, sparing isSpared: IndexWriter.Sparing, at tick: UInt32, _ writer: IndexWriter
  ) throws -> Bool {
    let table = writer.table
    let victims = eviction.withLock {
      $0.victims(byteCount, tick, table) { place in
        table.isEvictable(at: place) && !isSpared(place, table)
      }
    }
    for victim in victims {
      guard let entry = writer.entry(at: victim) else {
        try writer.repair()
        return try evict(byteCount, sparing: isSpared, at: tick, writer)
      }
      // A removal may have replaced the table.
      eviction.withLock { $0.evict(victim, tick, writer.table) }
      try writer.delete(entry)
      ledger.withLock { ledger in
        ledger.evicted.count += 1
        ledger.evicted.byteCount += entry.record.byteCount
      }
      count(.evictions, in: writer.table)
    }
    return !victims.isEmpty
  }

  /// Returns which entries this instance does not evict: the one born as given, and protected ones.
  func spared(keeping born: UInt64?) -> IndexWriter.Sparing {
    let protected = ledger.withLock { $0.protected }
    return { $1.born(at: $0) == born || protected.contains($1.hash(at: $0)) }
  }

  /// Keeps the index within its share: makes the log again where much of it is out of date, then
  /// drops negative entries, then evicts. It ends well below the bound, so that the next stores
  /// find room.
  private func boundIndex(
    adding growth: Int, keeping born: UInt64?, at tick: UInt32, _ writer: IndexWriter
  ) throws {
    let maximum = budget(writer.totals).maximumIndexByteCount
    if writer.isWorthRewriting || writer.byteCount + growth > maximum && writer.hasWaste {
      try writer.rewrite()
    }
    guard maximum < .max, writer.byteCount + growth > maximum else { return }
    let isSpared = spared(keeping: born)
    while writer.neededByteCount + growth > maximum - maximum / 16 {
      // Few at a time where there are few.
      let batch = max(1, min(64, writer.totals.images.count / 32))
      if try writer.dropNegatives(batch, keeping: born) > 0 { continue }
      let size = batch * BlobStore.blockByteCount
      if try evict(size, sparing: isSpared, at: tick, writer) { continue }
      if growth > 0, writer.neededByteCount + growth > maximum {
        throw ImageError(
          .cacheFull,
          """
          the cache's index is full: requested entries fill the \
          \(Measure.bytes(maximum)) that the index may have within \(Self.limitSetting); raise \(Self.limitSetting)
          """)
      }
      break
    }
    if writer.byteCount + growth > maximum { try writer.rewrite() }
  }

  /// Drops negative entries beyond their limit, those that end first before others.
  private func boundNegatives(
    adding count: Int, keeping born: UInt64?, _ writer: IndexWriter
  ) throws {
    let maximum = budget(writer.totals).maximumNegativeCount
    let excess = writer.totals.negativeCount + count - maximum
    // Many at a time: each looks through the table.
    if excess > 0 { _ = try writer.dropNegatives(excess + maximum / 8, keeping: born) }
  }

  func checkFreeSpace() throws(ImageError) {
    guard let minimum = minimumFreeByteCount,
      let space = try? blobs.files.space(at: blobs.directory), space.freeByteCount < minimum
    else { return }
    throw failed(
      ImageError(
        .diskFull,
        """
        the file system of \(blobs.directory) has \(Measure.bytes(space.freeByteCount)) free, less than the \
        \(Measure.bytes(minimum)) of DiskCache.Configuration.minimumFreeByteCount; nothing more is stored
        """))
  }

  /// Removes a few entries that exceed the maximum age, unless they are pinned: with every store
  /// some places of the table are looked at.
  func expireSome(at now: Int64, _ writer: IndexWriter) throws {
    guard configuration.maximumAge != nil || writer.totals.negativeCount > 0 else { return }
    let place = ledger.withLock { $0.expiryPlace }
    let isSpared = spared(keeping: nil)
    let next = try writer.expire(
      from: place, count: 64, at: now, maximumAge: configuration.maximumAge?.microseconds,
      sparing: isSpared)
    ledger.withLock { $0.expiryPlace = next.place }
  }

  // MARK: Failures

  func mayHold(_ byteCount: Int) -> Bool {
    BlobStore.counted(byteCount) <= budget().largestFileByteCount
  }

  /// Refuses the bytes of an image that would not fit an empty cache, unless it is kept there.
  func checkSize(_ record: CacheRecord, _ byteCount: Int) throws(ImageError) {
    guard BlobArea(of: record.key) == .images, !mayHold(byteCount) else { return }
    let isRetained = record.groups.contains { group in
      (index.named(group) as GroupRecord?).map { !$0.retention.isEmpty } ?? false
    }
    if !isRetained { try checkSize(of: record.key.name, byteCount) }
  }

  /// Refuses bytes, named in the message, that would not fit an empty cache.
  func checkSize(of name: String, _ byteCount: Int) throws(ImageError) {
    if mayHold(byteCount) { return }
    let budget = budget()
    let (least, block) = (budget.leastByteCount, BlobStore.blockByteCount)
    if budget.largestFileByteCount < block {
      throw failed(
        ImageError(
          .cacheFull,
          """
          the limit of \(Measure.bytes(limit)) is too small: the index and the folders of a cache \
          take \(Measure.bytes(least - 2 * block)) of it; use \(Self.limitSetting) \
          \(least / 1024)KiB or more
          """))
    }
    // Files take whole blocks.
    let bytes = Measure.bytes(byteCount, over: max(0, budget.largestFileByteCount / block * block))
    throw failed(
      ImageError(
        .cacheFull,
        """
        \(name) has \(bytes.count), more than the \(bytes.limit) that the limit of \
        \(Measure.bytes(limit)) leaves for files; raise \(Self.limitSetting)
        """))
  }

  private static let limitSetting = "DiskCache.Configuration.maximumByteCount"

  /// Counts a store that failed or was refused. A server, which goes on without, logs a failure until
  /// a store succeeds.
  func failed(_ error: ImageError) -> ImageError {
    count(error.code == .notAdmitted ? .refusals : .storeFailures)
    guard configuration.access == .createOrRead, index.mode == .writing,
      error.code == .diskFull || error.code == .cacheUnusable
    else { return error }
    let isNews = ledger.withLock { ledger in
      defer { ledger.isStoreFailing = true }
      return !ledger.isStoreFailing
    }
    if isNews {
      configuration.log("\(error.message); until that works again nothing is stored")
    }
    return error
  }
}
