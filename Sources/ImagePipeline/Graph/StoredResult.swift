import DiskCaching
import HTTPCaching
import ImageModel

/// An encoded result on disk that may be used, found and not read.
struct StoredResult: LoadedOriginal {
  let key: CacheKey
  let record: CacheRecord
  let source = LoadSource.disk
  let freshness: LoadFreshness
  let cost = TransferMeter.Reading()
  let storeFailure: ImageError? = nil

  /// Finds the result of a request, if there is one that may be used; the original is not read.
  init?(_ load: Load, _ lookup: OriginalLookup) {
    let (graph, resolved) = (load.graph, load.resolved)
    guard let disk = graph.disk else { return nil }
    if case .deliver(let entry, let freshness, _) = lookup.answer {
      guard let content = entry.record.content else { return nil }
      key = Self.key(of: content.hash, entry.record, resolved, disk)
      (self.freshness, record) = (freshness, entry.record)
      return
    }
    // A result of another server comes without its original.
    guard !resolved.storesOriginal || resolved.tier != nil,
      let alone = disk.record(for: resolved.entry(of: nil)),
      let freshness = StoredResponse(alone).reuse(
        for: resolved.cacheRequest(isInteractive: false), at: graph.configuration.clock(),
        profile: graph.originals.profile)
    else { return nil }
    // It may be of an older original than the one that is stored.
    if case .ask(let question) = lookup.answer,
      question.stored.contains(where: { $0.record.fetchedAt > alone.fetchedAt })
    {
      return nil
    }
    (key, self.freshness, record) = (alone.key, freshness, alone)
  }

  /// The key of a result whose original is stored: with a shared tier it may be there from before
  /// its original.
  private static func key(
    of hash: BlobHash, _ original: CacheRecord, _ resolved: ResolvedRequest, _ disk: DiskStore
  ) -> CacheKey {
    let (own, alone) = (resolved.entry(of: hash, original.format), resolved.entry(of: nil))
    guard resolved.tier != nil, let generation = original.generation,
      disk.record(for: own) == nil, let earlier = disk.record(for: alone),
      earlier.generation == generation, earlier.fetchedAt >= original.fetchedAt
    else { return own }
    return alone
  }

  func read(_ load: Load) -> CachedEntry? {
    let entry = load.graph.disk?.read(key, protecting: load.resolved.request.isPinned)
    if entry != nil, freshness == .staleWhileRevalidating { load.graph.refresh(load.resolved) }
    return entry
  }
}
