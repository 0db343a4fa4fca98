import ImageModel

extension DiskStore {
  /// Adds entries to a group; absent entries are skipped. Writes nothing when all are in it
  /// already.
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

  /// Changes the record of a group and the marks of its entries, and returns their number.
  func setRetention(
    of group: String, _ change: @escaping @Sendable (inout GroupRecord) -> Void
  ) throws(ImageError) -> Int {
    try index.write { writer in
      let old = try writer.group(group)
      var known = old
      change(&known)
      try writer.set(known)
      let members = try writer.members(of: group)
      if known.retention != old.retention {
        for member in members {
          try writer.setRetention(writer.enter(member.record.groups), member.match)
        }
      }
      return members.count
    }
  }
}
