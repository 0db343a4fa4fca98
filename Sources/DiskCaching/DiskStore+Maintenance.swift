import HTTPCaching
import ImageModel

extension DiskStore {
  package func verify(repair: Bool) throws(ImageError) -> VerificationReport {
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
    while true {
      let page = page(of: .all, after: row)
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
          // Still in the index: it was not merely evicted meanwhile.
          report.damages.append(.init(key: found.record.key, reason: reason))
          damaged.append(found)
        }
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

  package func collectGarbage() throws(ImageError) -> GarbageReport {
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
    // Free pages must not cause evictions.
    let maximumIndex = budget(of: .images).maximumDatabaseByteCount
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

  func explain(_ key: CacheKey, isShared: Bool) -> CacheExplanation {
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
