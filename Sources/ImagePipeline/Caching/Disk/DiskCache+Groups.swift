extension DiskCache {
  /// Adds entries to a group; absent entries are skipped.
  public func addGroup(_ group: String, to keys: [CacheKey]) throws(ImageError) {
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

  /// Gives a group's entries a time to live of their own, counted like the maximum age; `nil` takes it back.
  public func setMaximumAge(_ age: Duration?, group: String) throws(ImageError) {
    try index.write { try $0.setMaximumAge(age?.microseconds, group: group) }
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

  /// The values whose names begin with `prefix`.
  public func states(withPrefix prefix: String) -> [String: String] {
    index.read { try $0.states(withPrefix: prefix) } ?? [:]
  }
}
