/// Files of writers that are no more.
struct Leftovers {
  /// A temporary file younger than this may not have its lock yet, in seconds.
  static let minimumAge = 60
  /// A beginning of a body is kept this long, in seconds: a week.
  static let maximumPartialAge = 7 * 86400

  let blobs: BlobStore

  /// Removes what nobody holds.
  ///
  /// - Returns: How many files went.
  func sweep(now: Int) -> Int {
    var count = 0
    // Older versions put files into `tmp` itself.
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

  /// Whether ``PartialFile`` made the name: the hash of a URL, and a suffix perhaps.
  private static func isPartial(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard let first = parts.first, let hash = BlobHash(hex: first), hash.hex == first else {
      return false
    }
    return parts.dropFirst().allSatisfy {
      ["head", "whole", "tmp"].contains($0) || UInt64($0) != nil
    }
  }

  private func removeIfAbandoned(_ path: String, olderThan limit: Int) -> Bool {
    let files = blobs.files
    guard let facts = try? files.facts(at: path), facts.isRegular, facts.modified < limit,
      let file = try? files.open(path, forWriting: false)
    else { return false }
    defer { files.close(file) }
    guard files.tryLock(file), (try? files.remove(path)) != nil else { return false }
    return true
  }
}
