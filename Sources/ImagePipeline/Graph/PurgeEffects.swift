import CachePolicies
import DiskCaching
import HTTPCaching
import ImageModel
import Synchronization

/// The effects of purges, those of other processes included, on a pipeline's memory tier and its
/// loads: loads from before a purge and from after it are not shared, and the results of the former
/// do not enter the memory tier.
final class PurgeEffects: Sendable {
  private let count: SharedCount
  private let memory: (any ImageMemoryCaching)?
  private let negatives: NegativeAnswers
  private let observation: (any AnyObject & Sendable)?
  private let receiving = Locked<Task<Void, Never>?>(nil)

  /// A count that the observer of the directory shares.
  private final class SharedCount: Sendable {
    let value = Atomic<UInt64>(0)
  }

  init(_ disk: DiskCache?, memory: (any ImageMemoryCaching)?, negatives: NegativeAnswers) {
    let count = SharedCount()
    self.count = count
    self.memory = memory
    self.negatives = negatives
    observation = disk?.observePurges { isPurged in
      _ = Self.apply(isPurged, count, memory, negatives)
    }
  }

  deinit { stopReceiving() }

  /// Applies the purges of other servers to this server's disk as well, which notifies all its
  /// observers.
  func startReceiving(from tier: any SharedResponseTier, _ cache: DiskCache) {
    let task = Task {
      await tier.receivePurges(since: await cache.lastSharedPurge) { try await cache.forget($0) }
    }
    receiving.withLock { $0 = task }
  }

  func stopReceiving() { receiving.withLock { $0?.cancel() } }

  /// The number of purges so far: the epoch of a load.
  var epoch: UInt64 { count.value.load(ordering: .relaxed) }

  /// Forgets what was purged, and returns the number of images that were in memory.
  func apply(_ purge: CachePurge) -> Int { Self.apply(purge.isPurged, count, memory, negatives) }

  private static func apply(
    _ isPurged: (String) -> Bool, _ count: SharedCount, _ memory: (any ImageMemoryCaching)?,
    _ negatives: NegativeAnswers
  ) -> Int {
    count.value.add(1, ordering: .sequentiallyConsistent)
    negatives.forget(where: isPurged)
    return memory?.removeAll { $0.url.map(isPurged) ?? true } ?? 0
  }
}
