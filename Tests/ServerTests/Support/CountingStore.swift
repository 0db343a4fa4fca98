import HTTPTypes

@testable import CachingProxy
@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageModel

/// A store that counts reuses without a lookup.
final class CountingStore: StreamingResponseStore {
  private let store: any StreamingResponseStore
  private let reuses = Locked(0)

  init(_ storage: CachingProxy.Storage) {
    store =
      switch storage {
      case .memory(let maximum): MemoryProxyStore(maximumByteCount: maximum)
      case .disk(let cache): cache.streamingStore(profile: .proxy()) { _ in }
      case .store(let store): store
      }
  }

  /// The number of prepared responses.
  var reuseCount: Int { reuses.withLock { $0 } }

  func entries(for url: String, request: HTTPFields) -> [StreamingEntry] {
    store.entries(for: url, request: request)
  }

  func revision(of url: String) -> UInt64? { store.revision(of: url) }

  func reuse(
    _ key: CacheKey, of url: String, at revision: UInt64, needsBody: Bool
  ) -> (any StoredBody)? {
    let body = store.reuse(key, of: url, at: revision, needsBody: needsBody)
    if body != nil { reuses.withLock { $0 += 1 } }
    return body
  }

  func update(
    _ entry: StreamingEntry, as response: StoredResponse, for url: String
  ) -> StreamingEntry {
    store.update(entry, as: response, for: url)
  }
  func remove(_ entry: StreamingEntry, for url: String) { store.remove(entry, for: url) }
  func removeAll(for url: String) { store.removeAll(for: url) }
  func stage(byteCount: Int?) -> (any StagedResponse)? { store.stage(byteCount: byteCount) }
  func touch(_ entry: StreamingEntry, for url: String) { store.touch(entry, for: url) }
  func purge(_ urls: [String], tags: [String]) throws -> Int {
    try store.purge(urls, tags: tags)
  }
  func urls(under prefixes: [String], tagged tags: [String]) throws -> [String]? {
    try store.urls(under: prefixes, tagged: tags)
  }
  func removeAll(inGroups groups: Set<String>, of origin: String) {
    store.removeAll(inGroups: groups, of: origin)
  }
}
