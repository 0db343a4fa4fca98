import ImageModel

struct Leftovers {
  /// A temporary file younger than this may not have its lock yet, in seconds.
  static let minimumAge = 60
  /// The age at which a partial body is removed, in seconds: a week.
  static let maximumPartialAge = 7 * 86400

  let blobs: BlobStore

  /// Removes files whose lock is free, and returns their number.
  func sweep(now: Int) -> Int {
    var count = 0
    let root = blobs.directory + "/tmp"
    for name in (try? blobs.files.names(in: root)) ?? [] {
      let path = "\(root)/\(name)"
      if TemporaryName.isOne(name) {
        if removeIfAbandoned(path, olderThan: now - Self.minimumAge) { count += 1 }
      } else if TemporaryName.isFolder(name) {
        for inner in (try? blobs.files.names(in: path)) ?? []
        where TemporaryName.isOne(inner)
          && removeIfAbandoned("\(path)/\(inner)", olderThan: now - Self.minimumAge)
        {
          count += 1
        }
        blobs.files.removeDirectoryIfEmpty(path)
      }
    }
    for name in (try? blobs.files.names(in: blobs.directory + "/partial")) ?? []
    where Self.isPartial(name) {
      if removeIfAbandoned(
        "\(blobs.directory)/partial/\(name)", olderThan: now - Self.maximumPartialAge)
      {
        count += 1
      }
    }
    return count
  }

  /// Removes the oldest partial bodies that no transfer holds, until the rest fits.
  ///
  /// An origin that aborts every transfer would otherwise fill the disk. Transfers in progress may
  /// still grow; their number is bounded elsewhere.
  func boundPartials(to maximumByteCount: Int, count maximumCount: Int) {
    let folder = blobs.directory + "/partial"
    var kept: [(name: String, facts: FileFacts)] = []
    for name in (try? blobs.files.names(in: folder)) ?? [] where Self.isPartial(name) {
      if let facts = try? blobs.files.facts(at: "\(folder)/\(name)"), facts.isRegular {
        kept.append((name, facts))
      }
    }
    var byteCount = kept.reduce(0) { $0 + BlobStore.counted($1.facts.byteCount) }
    var count = kept.count
    if byteCount <= maximumByteCount, count <= maximumCount { return }
    kept.sort { $0.facts.modified < $1.facts.modified }
    for (name, facts) in kept where byteCount > maximumByteCount || count > maximumCount {
      // A head is removed with its body; a complete body is about to be stored, and is not locked.
      if name.utf8.count != 64 { continue }
      guard removeIfAbandoned("\(folder)/\(name)", olderThan: .max) else { continue }
      byteCount -= BlobStore.counted(facts.byteCount)
      count -= 1
      let head = "\(folder)/\(name).head"
      if ((try? blobs.files.facts(at: head)) ?? nil) != nil, (try? blobs.files.remove(head)) != nil
      {
        byteCount -= BlobStore.blockByteCount
        count -= 1
      }
    }
  }

  /// Whether a name is one of ``PartialFile``: the hash of a URL, and that with `.head`.
  private static func isPartial(_ name: String) -> Bool {
    let hash = name.hasSuffix(".head") ? name.dropLast(5) : name[...]
    return BlobHash(hex: hash).map { $0.hex == hash } ?? false
  }

  private func removeIfAbandoned(_ path: String, olderThan limit: Int) -> Bool {
    let files = blobs.files
    guard let facts = try? files.facts(at: path), facts.isRegular, facts.modified < limit,
      let file = try? files.open(path, forWriting: false)
    else { return false }
    defer { files.close(file) }
    guard (try? files.tryLock(file)) == true, (try? files.remove(path)) != nil else { return false }
    return true
  }
}
