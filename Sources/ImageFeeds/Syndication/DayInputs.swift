import DiskCaching
import ImageModel

/// The entries of the cache that a day is read from, as they were before.
final class DayInputs: Sendable {
  /// Those of the day that the task at hand reads.
  @TaskLocal static var current: DayInputs?

  private let cache: DiskCache
  private let state: Locked<State>

  private struct State: Sendable {
    var revisions: EntryRevisions
    var hasFile = false
    var isMarked = false
  }

  init(
    in cache: DiskCache, _ revisions: EntryRevisions = EntryRevisions(), isMarked: Bool = false
  ) {
    self.cache = cache
    state = Locked(State(revisions: revisions, isMarked: isMarked))
  }

  func record(_ key: CacheKey) {
    state.withLock { [store = cache.core] in $0.revisions.record(key, in: store) }
    guard case .document = key, cache.core.isMarked(key) else { return }
    state.withLock { $0.isMarked = true }
  }

  /// Notes that a file was read, whose changes the cache does not know.
  func recordFile() { state.withLock { $0.hasFile = true } }

  func hold(in store: DiskStore) -> Bool {
    state.withLock { !$0.hasFile && $0.revisions.hold(in: store) }
  }

  /// What to keep of them; `nil` where a file was read.
  var revisions: EntryRevisions? { state.withLock { $0.hasFile ? nil : $0.revisions } }

  /// Whether some were fetched with credentials, which other processes may not have.
  var isMarked: Bool { state.withLock { $0.isMarked } }
}
