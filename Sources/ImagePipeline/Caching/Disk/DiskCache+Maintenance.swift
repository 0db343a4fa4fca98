extension DiskCache {
  /// Reads every file again and compares its SHA-256.
  ///
  /// - Parameters:
  ///   - repair: Drops what is damaged, so that it is fetched again.
  ///   - visit: Is told of each entry after it was looked at; returns false to stop.
  public func verify(
    repair: Bool = false, _ visit: (CacheRecord) -> Bool = { _ in true }
  ) throws(ImageError) -> VerificationReport {
    var report = VerificationReport()
    report.indexFault = index.fault()
    if repair, index.mode != .absent, let fault = report.indexFault {
      try index.rebuild(fault)
      report.isRepaired = true
    }
    if repair, index.mode != .absent { try index.write { try $0.recount() } }
    var damaged: [IndexedRecord] = []
    var checked: [BlobHash: String] = [:]
    var row: Int64 = 0
    scan: while true {
      let after = row
      let page = index.read { try $0.page(of: .all, after: after, count: 500) } ?? []
      guard let last = page.last else { break }
      row = last.row
      for found in page {
        guard let content = found.record.content else { continue }
        report.entryCount += 1
        let known = checked[content.hash]
        let reason = known ?? fault(of: content, in: BlobArea(of: found.record.key))
        if known == nil, !reason.isEmpty { checked[content.hash] = reason }
        if reason.isEmpty {
          report.byteCount += content.byteCount
        } else if find(found.record.key)?.found.record.content == content {
          // Still there: it was not merely evicted while we looked.
          report.damages.append(.init(key: found.record.key, reason: reason))
          damaged.append(found)
        }
        if !visit(found.record) { break scan }
      }
    }
    if repair {
      for found in damaged {
        try drop(found)
        count(.damaged)
      }
      if !damaged.isEmpty { report.isRepaired = true }
      try removeDoomedFiles()
    }
    return report
  }

  /// Removes files without a record and what nobody writes any more, and enforces age and limit
  /// now.
  public func collectGarbage() throws(ImageError) -> GarbageReport {
    var report = GarbageReport()
    if index.mode == .absent { return report }
    flush()
    let now = configuration.clock().microseconds
    for area in BlobArea.allCases {
      let orphans = try removeOrphans(in: area)
      report.orphanCount += orphans.count
      report.orphanByteCount += orphans.byteCount
    }
    report.leftoverCount = Leftovers(blobs: blobs).sweep(now: Int(now / 1_000_000))
    // Pages that nothing uses are not to push files out.
    let maximumIndex = budget(of: .pictures).maximumDatabaseByteCount
    index.compact(to: maximumIndex)
    let (blobs, maximumAge) = (blobs, configuration.maximumAge?.microseconds)
    (report.expiredCount, report.evictedCount) = try index.write { writer in
      try writer.removeDoomed(from: blobs)
      try writer.recount()
      try self.prepareRanks(at: now, writer)
      var expired = try writer.expireNegative(before: now, limit: .max)
      expired += try writer.expireGroups(now: now)
      if let maximumAge {
        expired += try writer.expire(
          before: now - maximumAge, limit: .max, sparing: self.isProtected)
      }
      return (expired, try self.enforceLimits(writer))
    }
    if report.evictedCount > 0 { count(.evictions, by: report.evictedCount) }
    try removeDoomedFiles()
    index.compact(to: maximumIndex)
    return report
  }

  /// Tells whether the disk would answer for a key, and why. Counts as no access.
  public func explain(_ key: CacheKey, isShared: Bool = false) -> CacheExplanation {
    guard let entry = find(key) else {
      return CacheExplanation(verdict: .absent, record: nil, path: nil)
    }
    let (record, now) = (entry.found.record, configuration.clock())
    guard let content = record.content else {
      if let expires = record.expires, expires <= now {
        return CacheExplanation(verdict: .absent, record: record, path: nil)
      }
      return CacheExplanation(
        verdict: .negative(record.failure, until: record.expires), record: record, path: nil)
    }
    let reason = fault(of: content, in: BlobArea(of: key))
    if !reason.isEmpty {
      return CacheExplanation(verdict: .damaged(reason), record: record, path: entry.path)
    }
    let (request, profile) = (HTTPCacheRequest(), CacheProfile.images(isShared: isShared))
    let response = StoredResponse(record, for: request.fields)
    let freshness = response.freshness(isShared: isShared)
    let verdict: CacheExplanation.Verdict =
      switch response.reuse(for: request, at: now, profile: profile) {
      case .fresh: .fresh(remaining: freshness.remaining(at: now))
      case .whileRevalidating, .stale: .staleWhileRevalidating
      case .afterAsking:
        .revalidate(
          mayServeOnError: record.isAlwaysStale
            || freshness.maySubstitute(for: .status(503), at: now, profile: profile))
      }
    return CacheExplanation(verdict: verdict, record: record, path: entry.path)
  }

  /// What is wrong with a blob's file; empty when nothing is.
  private func fault(of content: CacheContent, in area: BlobArea) -> String {
    do throws(FileSystemFailure) {
      guard let found = try blobs.hash(at: blobs.path(of: content.hash, in: area)) else {
        return "its file is missing"
      }
      if found.byteCount != content.byteCount {
        return "its file has \(found.byteCount) bytes instead of \(content.byteCount)"
      }
      if found.hash != content.hash { return "its bytes are not those that were stored" }
      if found.checksum != content.checksum { return "its checksum in the index is wrong" }
      return ""
    } catch {
      return "its file cannot be read: \(error.reason)"
    }
  }

  private func removeOrphans(in area: BlobArea) throws(ImageError) -> (count: Int, byteCount: Int) {
    let blobs = blobs
    var total = (count: 0, byteCount: 0)
    let folders = (try? blobs.files.names(in: "\(blobs.directory)/\(area.folder)")) ?? []
    // Folders are named by the first two digits of hashes; others do not belong to the cache.
    for folder in folders.sorted() where TemporaryName.isFolder(folder) {
      let path = "\(blobs.directory)/\(area.folder)/\(folder)"
      let names = (try? blobs.files.names(in: path)) ?? []
      var start = 0
      while start < names.count {
        // A few at a time, so that writers do not wait for long.
        let some = Array(names[start..<min(start + 500, names.count)])
        start += some.count
        let removed = try index.write { writer -> (Int, Int) in
          try writer.removeUnreferenced(some, in: path, area, from: blobs)
        }
        total.count += removed.0
        total.byteCount += removed.1
      }
      try index.write { _ in blobs.files.removeDirectoryIfEmpty(path) }
    }
    return total
  }
}

/// What a collection of garbage removed.
public struct GarbageReport: Sendable, Hashable {
  /// Files without a record.
  public var orphanCount = 0
  /// Their bytes.
  public var orphanByteCount = 0
  /// Temporary files and prefixes of bodies without a writer.
  public var leftoverCount = 0
  /// Entries past their age or end.
  public var expiredCount = 0
  /// Entries over the limit.
  public var evictedCount = 0

  /// Nothing removed.
  public init() {}
}

/// What a look at every byte of a cache found.
public struct VerificationReport: Sendable, Hashable {
  /// An entry whose bytes are not those that were stored.
  public struct Damage: Sendable, Hashable {
    /// The entry.
    public let key: CacheKey
    /// What is wrong with it, for people.
    public let reason: String
  }

  /// Entries that were looked at.
  public var entryCount = 0
  /// File bytes that were hashed.
  public var byteCount = 0
  /// Entries that are damaged.
  public var damages: [Damage] = []
  /// What is wrong with the index itself, for people; `nil` when nothing is.
  public var indexFault: String?
  /// Whether anything was wrong.
  public var isDamaged: Bool { !damages.isEmpty || indexFault != nil }
  /// Whether the damaged entries were dropped, and a damaged index replaced.
  public var isRepaired = false

  /// Nothing looked at.
  public init() {}
}
