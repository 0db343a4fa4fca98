import CachePolicies
import DiskCaching
import ImageModel
import Synchronization

/// What purges, those of other processes among them, do to what a pipeline keeps in memory and to
/// its loads: loads from before a purge and from after it are not shared, and what the former bring
/// does not enter the memory tier.
final class PurgeEffects: Sendable {
  private let count: SharedCount
  private let memory: MemoryCache<DecodedImage>?
  private let negatives: NegativeAnswers
  private let observation: PurgeObservation?

  /// A count that the observer of the directory shares.
  private final class SharedCount: Sendable {
    let value = Atomic<UInt64>(0)
  }

  init(_ disk: DiskCache?, memory: MemoryCache<DecodedImage>?, negatives: NegativeAnswers) {
    let count = SharedCount()
    self.count = count
    self.memory = memory
    self.negatives = negatives
    observation = disk?.observePurges { notice in
      _ = Self.apply(notice, count, memory, negatives)
    }
  }

  /// The number of purges so far: the epoch of a load.
  var epoch: UInt64 { count.value.load(ordering: .relaxed) }

  /// Forgets what was purged.
  ///
  /// - Returns: The number of images that were in memory.
  func apply(_ notice: PurgeNotice) -> Int { Self.apply(notice, count, memory, negatives) }

  private static func apply(
    _ notice: PurgeNotice, _ count: SharedCount, _ memory: MemoryCache<DecodedImage>?,
    _ negatives: NegativeAnswers
  ) -> Int {
    count.value.add(1, ordering: .sequentiallyConsistent)
    negatives.forget(where: notice.covers)
    return memory?.removeAll { $0.url.map(notice.covers) ?? true } ?? 0
  }
}

extension ImagePipeline {
  /// Removes originals with all their variants from memory and disk, and forgets their failures.
  ///
  /// Other processes on the same disk cache forget them as well, within half a second. Loads in
  /// progress are finished for their callers, but what they bring is not kept, and loads that begin
  /// afterwards do not join them.
  ///
  /// - Returns: The number of entries removed from disk, variants and remembered failures included;
  ///   without a disk cache the number of images removed from memory.
  /// - Throws: ``ImageError`` with code `cacheUnusable` or `storeFailed`; memory is empty of the
  ///   images all the same.
  @discardableResult
  public func purge(_ purge: CachePurge) async throws(ImageError) -> Int {
    var purge = purge
    purge.urls = purge.urls.map { configuration.spell($0) }
    let count = graph.purges.apply(PurgeNotice(purge))
    return try await configuration.diskCache?.purge(purge) ?? count
  }
}
