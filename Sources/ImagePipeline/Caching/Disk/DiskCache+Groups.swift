extension DiskCache {
  /// Adds entries to a group; absent entries are skipped. Writes nothing when all are in it
  /// already.
  public func addGroup(_ group: String, to keys: [CacheKey]) throws(ImageError) {
    let keys =
      index.read { reader in try keys.filter { try !reader.isMember($0, of: group) } } ?? keys
    if keys.isEmpty { return }
    try index.write { writer in
      let group = try writer.group(group)
      for key in keys {
        if let found = try writer.record(for: key) { try writer.add(found.row, to: group) }
      }
    }
  }

  /// Keeps a group's entries, now and later, from eviction, or no longer.
  ///
  /// - Returns: How many entries the group has.
  @discardableResult
  public func setPinned(_ pinned: Bool, group: String) throws(ImageError) -> Int {
    try index.write { try $0.setPinned(pinned, group: group) }
  }

  /// Gives a group's entries a time to live of their own, counted like the maximum age; `nil` takes
  /// it back.
  public func setMaximumAge(_ age: Duration?, group: String) throws(ImageError) {
    try index.write { try $0.setMaximumAge(age?.microseconds, group: group) }
  }

  /// Removes a group and with it those entries that no other group of the same family keeps (`day:`
  /// is the family of `day:20200616`) and that are not pinned.
  ///
  /// - Returns: How many entries were removed.
  @discardableResult
  public func removeGroup(_ group: String) throws(ImageError) -> Int {
    if index.mode == .absent { return 0 }
    let blobs = blobs
    let count = try index.write { writer in
      try writer.removeDoomed(from: blobs)
      return try writer.removeGroup(group)
    }
    try removeDoomedFiles()
    return count
  }

  /// The groups that an entry is in; none when it is absent.
  public func groups(of key: CacheKey) -> Set<String> {
    let key = find(key)?.found.record.key ?? key
    return index.read { try $0.groups(of: key) } ?? []
  }

  /// The names of all groups, sorted.
  public func groups() -> [String] {
    index.read { try $0.groups() } ?? []
  }

  /// A small value kept with the directory, such as the last refresh of a feed.
  public func state(_ name: String) -> String? {
    index.read { try $0.state(name) } ?? nil
  }

  /// Sets or, with `nil`, removes a small value.
  public func setState(_ value: String?, for name: String) throws(ImageError) {
    try index.write { try $0.setState(value, for: name) }
  }

  /// Sets or, with `nil`, removes several small values, all of them or none.
  public func setStates(_ values: [String: String?]) throws(ImageError) {
    try index.write { writer in
      for (name, value) in values { try writer.setState(value, for: name) }
    }
  }

  /// Changes small values by what they are, in one transaction: no other process changes them in
  /// between.
  ///
  /// - Parameters:
  ///   - names: The values to read.
  ///   - change: Returns the values to set, or with `nil` to remove, given those that are set.
  public func updateStates(
    _ names: [String], _ change: @escaping @Sendable ([String: String]) -> [String: String?]
  ) throws(ImageError) {
    try index.write { writer in
      var old: [String: String] = [:]
      for name in names { old[name] = try writer.state(name) }
      for (name, value) in change(old) { try writer.setState(value, for: name) }
    }
  }

  /// The values whose names begin with `prefix`.
  public func states(withPrefix prefix: String) -> [String: String] {
    index.read { try $0.states(withPrefix: prefix) } ?? [:]
  }
}
