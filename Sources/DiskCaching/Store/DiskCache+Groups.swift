public import ImageModel

extension DiskCache {
  /// Protects a group's entries, now and later, from eviction and maximum ages, or no longer.
  ///
  /// - Returns: The number of entries in the group.
  @discardableResult
  nonisolated(nonsending) public func setPinned(_ pinned: Bool, group: String)
    async throws(ImageError) -> Int
  {
    try await perform { store throws(ImageError) in
      try store.setRetention(of: group) { $0.isPinned = pinned }
    }
  }

  /// Keeps a group's entries, now and later, as an archive, or no longer: no limit evicts them, and
  /// they do not count towards one. Removals and maximum ages apply as to other entries.
  nonisolated(nonsending) public func setKept(_ kept: Bool, group: String) async throws(ImageError)
  {
    try await perform { store throws(ImageError) in
      if (store.index.named(group) as GroupRecord?)?.isKept ?? false == kept { return }
      _ = try store.setRetention(of: group) { $0.isKept = kept }
    }
  }

  /// Returns which groups are kept and which are pinned, by their names.
  nonisolated(nonsending) package func retentions() async -> [String: (
    isKept: Bool, isPinned: Bool
  )] {
    await perform { store in
      let groups = store.index.reporting { try store.index.groups() } ?? []
      return Dictionary(groups.map { ($0.name, ($0.isKept, $0.isPinned)) }) { first, _ in first }
    }
  }

  /// Returns the groups that an entry is in; none when it is absent.
  nonisolated(nonsending) public func groups(of key: CacheKey) async -> Set<String> {
    await perform { $0.find(key)?.record.groups ?? [] }
  }

  /// Returns the names of all groups, sorted.
  nonisolated(nonsending) public func groups() async -> [String] {
    await perform { store in
      (store.index.reporting { try store.index.groups() } ?? []).map(\.name).sorted()
    }
  }

  // MARK: Small values that are stored with the directory

  nonisolated(nonsending) package func state(_ name: String) async -> String? {
    await perform { $0.index.state(name) }
  }

  nonisolated(nonsending) package func states(withPrefix prefix: String) async -> [String: String] {
    await perform { store in
      let states = (store.index.reporting { try store.index.states() } ?? [])
        .filter { $0.name.hasPrefix(prefix) }
      return Dictionary(states.map { ($0.name, $0.value) }) { _, new in new }
    }
  }

  /// Sets or, with `nil`, removes values, all of them or none.
  nonisolated(nonsending) package func setStates(
    _ values: [String: String?]
  ) async throws(ImageError) {
    try await updateStates([]) { _ in values }
  }

  /// Changes values in one transaction, given those of some names; `nil` removes one.
  nonisolated(nonsending) package func updateStates(
    _ names: [String], _ change: @escaping @Sendable ([String: String]) -> [String: String?]
  ) async throws(ImageError) {
    try await perform { store throws(ImageError) in
      try store.index.write { writer in
        var old: [String: String] = [:]
        for name in names { old[name] = writer.state(name) }
        for (name, value) in change(old) { try writer.setState(value, for: name) }
      }
    }
  }
}
