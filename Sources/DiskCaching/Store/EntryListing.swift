import ImageModel

/// The entries of a selection, oldest first, read a page at a time, without those that are removed.
struct EntryListing: Sendable {
  private let selection: EntrySelection
  private var rest: ArraySlice<EntryMatch>

  init(_ selection: EntrySelection, in index: CacheIndex) throws(ImageError) {
    self.selection = selection
    let bit = selection.group.map { GroupRecord.bit(of: $0) }
    let found = try index.places { entry in
      guard entry.isEntry else { return false }
      if let bit, entry.groupBits & bit == 0 { return false }
      switch selection.kind {
      case .original?: return entry.flags.isDisjoint(with: [.isVariant, .isDocument])
      case .variant?: return entry.flags.contains(.isVariant)
      case .document?: return entry.flags.contains(.isDocument)
      case nil: return true
      }
    }
    rest = (found?.matches ?? [])[...]
  }

  /// Returns the next entries; none at the end.
  mutating func next(_ count: Int, in store: DiskStore) -> [IndexEntry] {
    var found: [IndexEntry] = []
    while found.count < count, let match = rest.popFirst() {
      let entry = store.index.entries(under: match.entry.hash)
        .first { $0.match.entry.born == match.entry.born }
      guard let entry else { continue }
      if let group = selection.group, !entry.record.groups.contains(group) { continue }
      if let before = selection.before, entry.record.responseTime >= before { continue }
      found.append(entry)
    }
    return found
  }
}

extension DiskStore {
  /// Calls a body with the entries of a selection, oldest first, a few at a time, so that other
  /// writers do not wait for long.
  func forEachPage(
    of selection: EntrySelection, _ body: ([IndexEntry]) throws(ImageError) -> Void
  ) throws(ImageError) {
    var listing = try EntryListing(selection, in: index)
    while true {
      let page = listing.next(500, in: self)
      if page.isEmpty { return }
      try body(page)
    }
  }
}
