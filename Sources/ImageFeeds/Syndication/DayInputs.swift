import DiskCaching
import ImageModel

/// The entries of the cache that a day is read from, as they were before.
final class DayInputs: Sendable {
  /// Those of the day that the task at hand reads.
  @TaskLocal static var current: DayInputs?

  private let cache: DiskCache
  private let state: Locked<(revisions: EntryRevisions, hasFile: Bool)>

  init(in cache: DiskCache, _ revisions: EntryRevisions = EntryRevisions()) {
    self.cache = cache
    state = Locked((revisions, false))
  }

  func record(_ key: CacheKey) {
    state.withLock { [store = cache.core] in $0.revisions.record(key, in: store) }
  }

  /// Notes that a file was read, whose changes the cache does not know.
  func recordFile() { state.withLock { $0.hasFile = true } }

  func hold(in store: DiskStore) -> Bool {
    state.withLock { !$0.hasFile && $0.revisions.hold(in: store) }
  }

  /// What to keep of them; `nil` where a file was read.
  var revisions: EntryRevisions? { state.withLock { $0.hasFile ? nil : $0.revisions } }
}
