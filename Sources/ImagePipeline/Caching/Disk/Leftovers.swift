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
      let names = (try? blobs.files.names(in: "\(root)/\(name)")) ?? []
      for path in ["\(root)/\(name)"] + names.map({ "\(root)/\(name)/\($0)" })
      where removeIfAbandoned(path, olderThan: now - Self.minimumAge) {
        count += 1
      }
    }
    for name in (try? blobs.files.names(in: blobs.directory + "/partial")) ?? [] {
      if removeIfAbandoned(
        "\(blobs.directory)/partial/\(name)", olderThan: now - Self.maximumPartialAge)
      {
        count += 1
      }
    }
    return count
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
