import ImageModel

extension DiskStore {
  package func addGroup(_ group: String, to keys: [CacheKey]) throws(ImageError) {
    let keys = keys.filter { find($0).map { !$0.record.groups.contains(group) } ?? false }
    if keys.isEmpty { return }
    try write { writer in
      for key in keys {
        guard let found = try writer.entry(for: key) else { continue }
        var record = found.record
        if record.groups.insert(group).inserted { try writer.update(found, record) }
      }
    }
  }

  @discardableResult
  func setPinned(_ pinned: Bool, group: String) throws(ImageError) -> Int {
    try index.write { writer in
      var known = try writer.group(group)
      let hasChanged = known.isPinned != pinned
      known.isPinned = pinned
      try writer.setGroup(known)
      let members = try writer.members(of: group)
      if hasChanged {
        for member in members {
          let isPinned = try pinned || writer.isPinned(member.record.groups)
          try writer.setPinned(isPinned, member.match)
        }
      }
      return members.count
    }
  }

  func setMaximumAge(_ age: Duration?, group: String) throws(ImageError) {
    try index.write { writer in
      var known = try writer.group(group)
      known.maximumAge = age?.microseconds
      try writer.setGroup(known)
    }
  }

  func groups(of key: CacheKey) -> Set<String> { find(key)?.record.groups ?? [] }

  func groups() -> [String] {
    let groups = index.reporting { try index.all(.isGroup) { GroupRecord(&$0) } } ?? []
    return groups.map(\.name).sorted()
  }

  func state(_ name: String) -> String? { index.state(name) }

  func states(withPrefix prefix: String) -> [String: String] {
    let states = index.reporting { try index.states() } ?? []
    return Dictionary(
      states.filter { $0.name.hasPrefix(prefix) }.map { ($0.name, $0.value) }
    ) { _, new in new }
  }

  func updateStates(
    _ names: [String], _ change: @escaping @Sendable ([String: String]) -> [String: String?]
  ) throws(ImageError) {
    try index.write { writer in
      var old: [String: String] = [:]
      for name in names { old[name] = try writer.state(name) }
      for (name, value) in change(old) { try writer.setState(value, for: name) }
    }
  }
}
