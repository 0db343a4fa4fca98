package import HTTPCaching
public import ImageModel

/// Removal for good: a purge also reaches what processes keep in memory and what they are loading.
extension DiskCache {
  /// Removes originals with all their variants, pinned or not, and remembered failures.
  ///
  /// Observers of every process that uses the directory are notified: those of this one before this
  /// returns, others within half a second. The store of a load that was requested before fails with
  /// an `ImageError` of code `purged`. Reads the records of all variants, and with tags of all
  /// originals.
  ///
  /// - Returns: The number of entries removed, variants and remembered failures included.
  /// - Throws: `ImageError` with code `cacheUnusable` or `storeFailed`; part of the entries may be
  ///   removed then.
  @discardableResult
  nonisolated(nonsending) public func purge(_ purge: CachePurge) async throws(ImageError) -> Int {
    try await perform { store throws(ImageError) in try store.purge(purge) }
  }

  /// Removes everything, documents included; small values stay.
  ///
  /// - Returns: The number of entries removed.
  @discardableResult
  nonisolated(nonsending) public func purgeAll() async throws(ImageError) -> Int {
    try await perform { store throws(ImageError) in
      if store.index.mode == .absent { return 0 }
      try store.record(nil)
      let count = try store.remove(matching: .all)
      try store.record(nil, isDone: true)
      return count
    }
  }

  /// Returns the records of the entries that a purge would remove.
  nonisolated(nonsending) public func records(of purge: CachePurge) async -> [CacheRecord] {
    await perform { store in
      var found: [CacheRecord] = []
      _ = try? store.forEachEntry(of: purge, isRemoved: false) { records in
        found += records
        return records
      }
      return found
    }
  }

  /// Removes a group and those of its entries that are not pinned and in no other group of the same
  /// family (`day:` is the family of `day:20200616`), with their variants, as ``purge(_:)`` does;
  /// returns how many.
  @discardableResult
  nonisolated(nonsending) public func removeGroup(_ group: String) async throws(ImageError) -> Int {
    try await perform { store throws(ImageError) in try store.removeGroup(group) }
  }

  /// Calls an observer when something was purged, by any process, as long as what this returns is
  /// kept. It is called on a thread that may block, and must not purge.
  ///
  /// - Parameter observer: Forgets copies of the responses of URLs for which `isPurged` is true, and
  ///   what was made of them.
  public func observePurges(
    _ observer: @escaping @Sendable (_ isPurged: (_ url: String) -> Bool) -> Void
  ) -> any AnyObject & Sendable {
    PurgeObservation(core.purges, observer)
  }
}

// MARK: The shared tier

extension DiskCache {
  /// The time of the last purge by tag that ``forget(_:)`` has carried out; the distant past for none.
  package var lastSharedPurge: Date {
    get async {
      await state(Self.sharedPurgeName).flatMap { Double($0) }
        .map { Date(timeIntervalSince1970: $0) } ?? .distantPast
    }
  }

  private static let sharedPurgeName = "shared-purge"
  /// The clocks of servers differ.
  private static let clockDifference = 2.0

  /// Forgets what another server has purged; of a day, what is here for other groups as well stays.
  package func forget(_ shared: TierPurge) async throws(ImageError) {
    var purge = CachePurge(urls: shared.urls)
    purge.fetchedBefore = shared.time.addingTimeInterval(Self.clockDifference)
    let tags = shared.tags.compactMap { CacheTag($0) }
    purge.tags = tags.filter { !$0.isOfDay }
    purge.urls += await urls(onlyIn: Set(tags.filter(\.isOfDay)))
    _ = try await self.purge(purge)
    guard !shared.tags.isEmpty, await lastSharedPurge < shared.time else { return }
    try await setStates([Self.sharedPurgeName: "\(shared.time.timeIntervalSince1970)"])
  }

  /// The URLs of the images that are in these days, and in no other group of this directory.
  private func urls(onlyIn days: Set<CacheTag>) async -> [String] {
    if days.isEmpty { return [] }
    let found = Set(
      await records(of: CachePurge(tags: Array(days))).compactMap { record in
        record.key.url.map { ExactString($0) }
      })
    return await perform { store in
      found.map(\.text).filter { url in
        !store.entries(of: url).contains { entry in
          store.shows(entry.record)
            && entry.record.groups.contains { group in
              CacheTag.group(group).map { !days.contains($0) } ?? true
            }
        }
      }
    }
  }
}

extension CacheTag {
  fileprivate var isOfDay: Bool { name.hasPrefix("day-") }
}
