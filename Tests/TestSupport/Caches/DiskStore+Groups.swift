import ImageModel

@testable import DiskCaching

/// What `DiskCache` does on its threads, on the calling one.
extension DiskStore {
  var evicted: (count: Int, byteCount: Int) { ledger.withLock { $0.evicted } }

  @discardableResult
  func setPinned(_ pinned: Bool, group: String) throws(ImageError) -> Int {
    try setRetention(of: group) { $0.isPinned = pinned }
  }

  func setKept(_ kept: Bool, group: String) throws(ImageError) {
    _ = try setRetention(of: group) { $0.isKept = kept }
  }

  func groups(of key: CacheKey) -> Set<String> { find(key)?.record.groups ?? [] }

  func groups() -> [String] { ((try? index.groups()) ?? []).map(\.name).sorted() }

  func state(_ name: String) -> String? { index.state(name) }

  func states(withPrefix prefix: String) -> [String: String] {
    let states = ((try? index.states()) ?? []).filter { $0.name.hasPrefix(prefix) }
    return Dictionary(states.map { ($0.name, $0.value) }) { _, new in new }
  }

  func updateStates(
    _ names: [String], _ change: @escaping @Sendable ([String: String]) -> [String: String?]
  ) throws(ImageError) {
    try index.write { writer in
      var old: [String: String] = [:]
      for name in names { old[name] = writer.state(name) }
      for (name, value) in change(old) { try writer.setState(value, for: name) }
    }
  }
}

extension CacheIndex {
  /// The totals as they were written last.
  var totals: IndexTotals {
    guard let table = readable()?.table else { return IndexTotals() }
    return table.read { table.state?.totals }.flatMap { $0 } ?? IndexTotals()
  }
}
