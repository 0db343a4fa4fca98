import DiskCaching
import ImageModel

/// The entries of the cache that a day is read from, as they were before.
final class DayInputs: Sendable {
  /// Those of the day that the task at hand reads.
  @TaskLocal static var current: DayInputs?

  private let cache: DiskCache
  private let state = Locked((revisions: EntryRevisions(), hasFile: false))

  init(in cache: DiskCache) { self.cache = cache }

  func record(_ key: CacheKey) {
    state.withLock { [store = cache.core] in $0.revisions.record(key, in: store) }
  }

  /// Notes that a file was read, whose changes the cache does not know.
  func recordFile() { state.withLock { $0.hasFile = true } }

  func hold(in store: DiskStore) -> Bool {
    state.withLock { !$0.hasFile && $0.revisions.hold(in: store) }
  }
}
