import ImageModel

extension DiskStore {
  package func addGroup(_ group: String, to keys: [CacheKey]) throws(ImageError) {
    let keys =
      index.read { reader in try keys.filter { try !reader.isMember($0, of: group) } } ?? keys
    if keys.isEmpty { return }
    try write { writer in
      let group = try writer.group(group)
      for key in keys {
        if let found = try writer.record(for: key) { try writer.add(found.row, to: group) }
      }
    }
  }

  @discardableResult
  func setPinned(_ pinned: Bool, group: String) throws(ImageError) -> Int {
    try index.write { try $0.setPinned(pinned, group: group) }
  }

  func setMaximumAge(_ age: Duration?, group: String) throws(ImageError) {
    try index.write { try $0.setMaximumAge(age?.microseconds, group: group) }
  }

  @discardableResult
  func removeGroup(_ group: String) throws(ImageError) -> Int {
    try remove { try $0.removeGroup(group) }
  }

  func groups(of key: CacheKey) -> Set<String> {
    let key = find(key)?.found.record.key ?? key
    return index.read { try $0.groups(of: key) } ?? []
  }

  func groups() -> [String] { index.read { try $0.groups() } ?? [] }

  func state(_ name: String) -> String? { index.read { try $0.state(name) } ?? nil }

  func states(withPrefix prefix: String) -> [String: String] {
    index.read { try $0.states(withPrefix: prefix) } ?? [:]
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
