import ImageModel

struct Leftovers {
  /// A temporary file younger than this may not have its lock yet, in seconds.
  static let minimumAge = 60
  /// The age at which a partial body is removed, in seconds: a week.
  static let maximumPartialAge = 7 * 86400

  let blobs: BlobStore

  /// Removes files whose lock is free, and returns their number.
  func sweep(now: Int) -> Int {
    let (root, youngest) = (blobs.directory + "/tmp", now - Self.minimumAge)
    let names = names(in: root)
    var count = remove(names.filter(TemporaryName.isOne), in: root, olderThan: youngest)
    for folder in names.filter(TemporaryName.isFolder).map({ "\(root)/\($0)" }) {
      count += remove(
        self.names(in: folder).filter(TemporaryName.isOne), in: folder, olderThan: youngest)
      blobs.files.removeDirectoryIfEmpty(folder)
    }
    let partial = blobs.directory + "/partial"
    return count
      + remove(
        self.names(in: partial).filter(Self.isPartial), in: partial,
        olderThan: now - Self.maximumPartialAge)
  }

  private func names(in folder: String) -> [String] { (try? blobs.files.names(in: folder)) ?? [] }

  private func remove(_ names: [String], in folder: String, olderThan limit: Int) -> Int {
    names.count { removeIfAbandoned("\(folder)/\($0)", olderThan: limit) }
  }

  /// Removes the oldest partial bodies that no transfer holds, until the rest fits: an origin that
  /// aborts every transfer would otherwise fill the disk. Transfers in progress may still grow;
  /// their number is bounded elsewhere.
  func boundPartials(to maximumByteCount: Int, count maximumCount: Int) {
    let folder = blobs.directory + "/partial"
    var kept: [(name: String, facts: FileFacts)] = []
    for name in names(in: folder) where Self.isPartial(name) {
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
