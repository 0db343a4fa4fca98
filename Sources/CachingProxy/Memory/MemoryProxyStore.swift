import DiskCaching
import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageModel
import NIOCore

/// Keeps responses in memory, up to a number of bytes.
///
/// The eviction order is that of CLOCK (Corbató, "A Paging Experiment with the Multics System",
/// 1968): the oldest entry that was not used since it was last considered.
final class MemoryProxyStore: StreamingResponseStore {
  private struct Variant {
    let url: String
    var response: StoredResponse { didSet { cost = Self.cost(of: response, body) } }
    let body: BufferBody
    var wasUsed = false
    private(set) var cost: Int

    init(url: String, _ response: StoredResponse, _ body: BufferBody) {
      self.url = url
      self.response = response
      self.response.byteCount = body.byteCount
      self.body = body
      cost = Self.cost(of: response, body)
    }

    /// Looked up with each change, and empty in most.
    var groups: Set<CacheGroup> {
      let names = response.fields.cacheGroups
      guard !names.isEmpty, let origin = WebURL(url)?.origin else { return [] }
      return Set(names.map { CacheGroup(origin: origin, name: $0) })
    }

    /// The bytes of the body and of the texts, which a client or an origin may make long, and an
    /// allowance for the rest.
    private static func cost(of response: StoredResponse, _ body: BufferBody) -> Int {
      response.fields.reduce(body.cost + 1024 + response.selection.utf8.count) {
        $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
      }
    }
  }

  private struct CacheGroup: Hashable {
    let origin: String
    let name: String
  }

  private struct State {
    var variants: [Int: Variant] = [:]
    var ids: [String: [Int]] = [:]
    /// Those of each origin's groups (RFC 9875).
    var groups: [CacheGroup: Set<Int>] = [:]
    var revisions: [String: UInt64] = [:]
    var lastRevision: UInt64 = 0
    /// Identifiers in order of storing; some are of variants that are gone.
    var queue = CircularBuffer<Int>()
    var lastID = 0
    var byteCount = 0
    var evictionCount = 0
    /// Bytes of bodies that are arriving, or have arrived and are still sent from there.
    var stagedByteCount = 0

    func id(of entry: StreamingEntry, _ url: String) -> Int? {
      ids[url]?.first { variants[$0]?.response == entry.response }
    }

    mutating func touch(_ id: Int) {
      guard let url = variants[id]?.url else { return }
      variants[id]?.wasUsed = true
      guard ids[url]?.last != id, let place = ids[url]?.firstIndex(of: id) else { return }
      ids[url]?.remove(at: place)
      ids[url]?.append(id)
    }

    mutating func enter(_ variant: Variant, _ id: Int) {
      for group in variant.groups { groups[group, default: []].insert(id) }
    }

    mutating func leave(_ variant: Variant, _ id: Int) {
      for group in variant.groups {
        groups[group]?.remove(id)
        if groups[group]?.isEmpty == true { groups[group] = nil }
      }
    }

    mutating func changed(_ url: String) {
      lastRevision += 1
      revisions[url] = ids[url] == nil ? nil : lastRevision
    }

    mutating func remove(_ id: Int) {
      guard let old = variants.removeValue(forKey: id) else { return }
      byteCount -= old.cost
      ids[old.url]?.removeAll { $0 == id }
      if ids[old.url]?.isEmpty == true { ids[old.url] = nil }
      leave(old, id)
      changed(old.url)
    }

    mutating func insert(_ variant: Variant) {
      let url = variant.url
      for id in ids[url] ?? []
      where variants[id]?.response.selection == variant.response.selection {
        remove(id)
      }
      let excess = (ids[url]?.count ?? 0) + 1 - StoredResponse.maximumVariantCount
      for id in ids[url]?.prefix(max(0, excess)) ?? [] { remove(id) }
      lastID += 1
      variants[lastID] = variant
      ids[url, default: []].append(lastID)
      queue.append(lastID)
      enter(variant, lastID)
      byteCount += variant.cost
      changed(url)
    }

    mutating func evict(to maximumByteCount: Int) {
      while byteCount > maximumByteCount - stagedByteCount, let id = queue.popFirst() {
        guard let candidate = variants[id] else { continue }
        if candidate.wasUsed {
          variants[id]?.wasUsed = false
          queue.append(id)
        } else {
          remove(id)
          evictionCount += 1
        }
      }
      // Variants that were replaced leave their identifiers behind.
      if queue.count > 2 * variants.count + 64 {
        queue = CircularBuffer(queue.filter { variants[$0] != nil })
      }
    }
  }

  private let maximumByteCount: Int
  private let state = Locked(State())

  init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  var byteCount: Int { state.withLock { $0.byteCount } }

  var reading: ServerReading.Memory {
    state.withLock { state in
      var reading = ServerReading.Memory()
      (reading.entryCount, reading.byteCount) = (state.variants.count, state.byteCount)
      (reading.maximumByteCount, reading.evictionCount) = (maximumByteCount, state.evictionCount)
      return reading
    }
  }

  func entries(for url: String, request: HTTPFields) -> [StreamingEntry] {
    state.withLock { state in
      (state.ids[url] ?? []).compactMap { id in
        guard let variant = state.variants[id] else { return nil }
        let key = CacheKey.original(url: url, vary: variant.response.selection)
        return StreamingEntry(key: key, response: variant.response) {
          [self, body = variant.body] in
          self.state.withLock { $0.touch(id) }
          return body
        }
      }
    }
  }

  func stage(byteCount: Int?) -> (any StagedResponse)? {
    let maximum = maximumByteCount / 4
    let announced = byteCount ?? 0
    guard announced <= maximum, reserve(announced) else { return nil }
    return StagedInMemory(self, reserving: announced, maximumByteCount: maximum)
  }

  /// Reserves bytes for a body that is arriving: all of them together have half of the room.
  fileprivate func reserve(_ count: Int) -> Bool {
    state.withLock { state in
      guard count <= maximumByteCount / 2 - state.stagedByteCount else { return false }
      state.stagedByteCount += count
      state.evict(to: maximumByteCount)
      return true
    }
  }

  fileprivate func unreserve(_ count: Int) { state.withLock { $0.stagedByteCount -= count } }

  func update(_ entry: StreamingEntry, as response: StoredResponse, for url: String)
    -> StreamingEntry
  {
    state.withLock { state in
      guard let id = state.id(of: entry, url), let old = state.variants[id] else { return }
      if response.selection == old.response.selection {
        var renewed = old
        renewed.response = response
        state.leave(old, id)
        state.variants[id] = renewed
        state.enter(renewed, id)
        state.byteCount += renewed.cost - old.cost
        state.changed(url)
      } else {
        // Selected by other fields now: stored under them as well.
        state.insert(Variant(url: url, response, old.body))
      }
      state.evict(to: maximumByteCount)
    }
    return StreamingEntry(key: entry.key, response: response, open: entry.open)
  }

  func touch(_ entry: StreamingEntry, for url: String) {
    state.withLock { state in
      if let id = state.id(of: entry, url) { state.touch(id) }
    }
  }

  func revision(of url: String) -> UInt64? { state.withLock { $0.revisions[url] } }

  func reuse(
    _ key: CacheKey, of url: String, at revision: UInt64, needsBody: Bool
  ) -> (any StoredBody)? {
    guard case .original(_, let selection) = key else { return nil }
    return state.withLock { state in
      guard state.revisions[url] == revision,
        let id = state.ids[url]?.first(where: {
          state.variants[$0]?.response.selection == selection
        })
      else { return nil }
      state.touch(id)
      return needsBody ? state.variants[id]?.body : [UInt8]()
    }
  }

  func remove(_ entry: StreamingEntry, for url: String) {
    state.withLock { state in
      if let id = state.id(of: entry, url) { state.remove(id) }
    }
  }

  func removeAll(for url: String) { _ = purge([url], tags: []) }

  func purge(_ urls: [String], tags: [String]) -> Int {
    let tagged = self.urls(under: [], tagged: tags) ?? []
    return state.withLock { state in
      let ids = Set(urls + tagged).flatMap { state.ids[$0] ?? [] }
      for id in ids { state.remove(id) }
      return ids.count
    }
  }

  func urls(under prefixes: [String], tagged tags: [String]) -> [String]? {
    if prefixes.isEmpty, tags.isEmpty { return [] }
    let tags = Set(tags.compactMap { CacheTag($0) })
    // Compared without the lock, for which event loops wait.
    let stored = state.withLock { $0.variants.values.map { ($0.url, $0.response) } }
    let found = stored.filter { url, response in
      prefixes.contains { url.utf8.starts(with: $0.utf8) }
        || !tags.isEmpty && !tags.isDisjoint(with: CacheTag.all(of: response, url: url))
    }
    return Array(Set(found.map(\.0)))
  }

  /// With a purge by tag everything goes, which costs misses alone: other servers know tags that the
  /// responses do not have.
  func forget(_ purge: TierPurge) async {
    _ = self.purge(purge.urls, tags: [])
    if purge.tags.isEmpty { return }
    state.withLock { state in for id in Array(state.variants.keys) { state.remove(id) } }
  }

  func removeAll(inGroups groups: Set<String>, of origin: String) {
    state.withLock { state in
      for name in groups {
        for id in state.groups[CacheGroup(origin: origin, name: name)] ?? [] { state.remove(id) }
      }
    }
  }

  fileprivate func store(_ bytes: ByteBuffer, _ response: StoredResponse, for url: String) {
    let variant = Variant(url: url, response, BufferBody(bytes))
    state.withLock { state in
      state.insert(variant)
      state.evict(to: maximumByteCount)
    }
  }
}

private final class StagedInMemory: StagedResponse {
  private let store: MemoryProxyStore
  private let maximumByteCount: Int
  private let state: Locked<(bytes: ByteBuffer, reserved: Int)>

  init(_ store: MemoryProxyStore, reserving byteCount: Int, maximumByteCount: Int) {
    self.store = store
    self.maximumByteCount = maximumByteCount
    state = Locked((ByteBuffer(), byteCount))
  }

  deinit { store.unreserve(state.withLock { $0.reserved }) }

  func append(_ more: [UInt8]) throws {
    try state.withLock { state in
      let count = state.bytes.readableBytes + more.count
      guard count <= maximumByteCount else {
        throw ImageError(.cacheFull, "the response is too large to be stored in memory")
      }
      if count > state.reserved {
        guard store.reserve(count - state.reserved) else {
          throw ImageError(.cacheFull, "too many responses are being stored in memory")
        }
        state.reserved = count
      }
      state.bytes.writeBytes(more)
    }
  }

  func read(at offset: Int, count: Int) -> [UInt8] {
    state.withLock { $0.bytes.bytes(at: offset, count: count) }
  }

  func commit(_ response: StoredResponse, for url: String) {
    store.store(state.withLock { $0.bytes }, response, for: url)
  }
}

struct BufferBody: StoredBody {
  let buffer: ByteBuffer

  /// Copies bytes: the buffer that they were received in may have twice the room.
  init(_ bytes: ByteBuffer) { buffer = ByteBuffer(bytes: bytes.readableBytesView) }

  var byteCount: Int { buffer.readableBytes }
  var cost: Int { buffer.storageCapacity }

  func read(at offset: Int, count: Int) -> [UInt8] { buffer.bytes(at: offset, count: count) }
}

extension ByteBuffer {
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    let start = min(offset, readableBytes)
    return getBytes(at: readerIndex + start, length: min(count, readableBytes - start)) ?? []
  }
}
