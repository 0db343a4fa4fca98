package import ImageModel

extension DiskStore {
  package func verify(repair: Bool) throws(ImageError) -> VerificationReport {
    var report = VerificationReport()
    report.indexFault = index.fault()
    if repair, index.mode != .absent, report.indexFault != nil {
      try index.rebuild()
      report.isRepaired = true
    }
    var damaged: [IndexEntry] = []
    var checked: [BlobHash: String] = [:]
    try forEachPage(of: .all) { page in
      for found in page {
        guard let content = found.record.content else { continue }
        report.entryCount += 1
        let known = checked[content.hash]
        let reason = known ?? fault(of: content, in: BlobArea(of: found.record.key))
        if known == nil, !reason.isEmpty { checked[content.hash] = reason }
        if reason.isEmpty {
          report.byteCount += content.byteCount
        } else if find(found.record.key)?.record.content == content {
          // Still in the index: it was not merely evicted meanwhile.
          report.damages.append((found.record.key, reason))
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
    }
    return report
  }

  package func collectGarbage() throws(ImageError) -> GarbageReport {
    var report = GarbageReport()
    if index.mode == .absent { return report }
    flush()
    let now = configuration.clock().microseconds
    let maximumAge = configuration.maximumAge?.microseconds
    let isSpared = spared(keeping: nil)
    report.expiredCount = try index.write { writer in
      try writer.expire(from: 0, count: .max, at: now, maximumAge: maximumAge, sparing: isSpared)
        .count
    }
    for area in BlobArea.allCases {
      let orphans = try removeOrphans(in: area)
      report.orphanCount += orphans.count
      report.orphanByteCount += orphans.byteCount
    }
    try index.write { $0.endOrphans() }
    report.leftoverCount = Leftovers(blobs: blobs).sweep(now: Int(now / 1_000_000))
    let before = ledger.withLock { $0.evicted }
    try index.write { writer in
      try self.enforceLimits(writer)
      if writer.hasWaste { try writer.rewrite() }
    }
    let after = ledger.withLock { $0.evicted }
    report.evictedCount = after.count - before.count
    report.evictedByteCount = after.byteCount - before.byteCount
    return report
  }

  func fault(of content: CacheContent, in area: BlobArea) -> String {
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
    // What is stored meanwhile is looked up again, under the lock, before a file is removed.
    let (owned, last) = try index.contents(in: area)
    let folders = (try? blobs.files.names(in: "\(blobs.directory)/\(area.folder)")) ?? []
    // Folders are named by the first two digits of hashes; others do not belong to the cache.
    for folder in folders.sorted() where TemporaryName.isFolder(folder) {
      let path = "\(blobs.directory)/\(area.folder)/\(folder)"
      let names = (try? blobs.files.names(in: path)) ?? []
      // A file with another name does not belong to the cache: it stays.
      let orphans = names.filter { name in
        BlobHash(hex: name).map { $0.hex == name && !owned.contains($0) } ?? false
      }
      if !orphans.isEmpty {
        let removed = try index.write { writer in
          try writer.removeUnowned(orphans, in: path, since: last)
        }
        total.count += removed.count
        total.byteCount += removed.byteCount
      }
      try index.write { _ in blobs.files.removeDirectoryIfEmpty(path) }
    }
    return total
  }
}
