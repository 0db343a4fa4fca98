import HTTPTypes
import ImagePipeline
import NIOCore

/// Keeps answers in memory, up to a number of bytes.
///
/// Who goes first is told by a clock (Corbató, "A Paging Experiment with the Multics System",
/// 1968): the oldest one that nobody has asked for since it was last considered.
final class MemoryProxyStore: ProxyStore {
  private struct Kept {
    let url: String
    var answer: StoredResponse { didSet { cost = Self.cost(of: answer, bytes) } }
    let bytes: [UInt8]
    var wasUsed = false
    private(set) var cost: Int

    init(url: String, _ answer: StoredResponse, _ bytes: [UInt8]) {
      self.url = url
      self.answer = answer
      self.bytes = bytes
      cost = Self.cost(of: answer, bytes)
    }

    /// Bytes of the body and of the texts, which a client or an origin may make long, and a share
    /// for the rest.
    private static func cost(of answer: StoredResponse, _ bytes: [UInt8]) -> Int {
      answer.fields.reduce(bytes.count + 1024 + answer.selection.utf8.count) {
        $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
      }
    }
  }

  private struct State {
    var kept: [Int: Kept] = [:]
    /// The numbers of a URL's variants, the least recently used first.
    var numbers: [String: [Int]] = [:]
    /// Numbers in order of storing; some are of answers that are gone.
    var queue = CircularBuffer<Int>()
    var lastNumber = 0
    var byteCount = 0
  }

  private let maximumByteCount: Int
  private let state = Locked(State())

  init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

  /// What is kept, in bytes.
  var byteCount: Int { state.withLock { $0.byteCount } }

  func entries(for url: String, request: HTTPFields) -> [ProxyEntry] {
    state.withLock { state in
      (state.numbers[url] ?? []).compactMap { number in
        state.kept[number].map { entry(number, $0) }
      }
    }
  }

  func stage(byteCount: Int?) -> (any StagedResponse)? {
    let maximum = maximumByteCount / 4
    return byteCount ?? 0 <= maximum ? StagedInMemory(self, maximumByteCount: maximum) : nil
  }

  func update(
    _ entry: ProxyEntry, as answer: StoredResponse, for url: String
  ) -> ProxyEntry {
    let bytes = state.withLock { state -> [UInt8]? in
      guard let number = Self.number(of: entry, url, state) else { return nil }
      // Chosen by other fields now: kept under them as well.
      if answer.selection != entry.response.selection { return state.kept[number]?.bytes }
      let before = state.kept[number]?.cost ?? 0
      state.kept[number]?.answer = answer
      state.byteCount += (state.kept[number]?.cost ?? 0) - before
      evict(&state)
      return nil
    }
    if let bytes { put(bytes, answer, for: url) }
    return ProxyEntry(key: entry.key, response: answer, open: entry.open)
  }

  func touch(_ entry: ProxyEntry, for url: String) {
    state.withLock { state in
      if let number = Self.number(of: entry, url, state) { Self.touch(number, &state) }
    }
  }

  private static func touch(_ number: Int, _ state: inout State) {
    guard let url = state.kept[number]?.url else { return }
    state.kept[number]?.wasUsed = true
    guard state.numbers[url]?.last != number,
      let place = state.numbers[url]?.firstIndex(of: number)
    else { return }
    state.numbers[url]?.remove(at: place)
    state.numbers[url]?.append(number)
  }

  func remove(_ entry: ProxyEntry, for url: String) {
    state.withLock { state in
      if let number = Self.number(of: entry, url, state) { Self.forget(number, &state) }
    }
  }

  func removeAll(for url: String) {
    state.withLock { state in
      for number in state.numbers[url] ?? [] { Self.forget(number, &state) }
    }
  }

  fileprivate func put(_ bytes: [UInt8], _ answer: StoredResponse, for url: String) {
    var answer = answer
    answer.byteCount = bytes.count
    let kept = Kept(url: url, answer, bytes)
    state.withLock { state in
      for number in state.numbers[url] ?? []
      where state.kept[number]?.answer.selection == answer.selection {
        Self.forget(number, &state)
      }
      let excess = (state.numbers[url]?.count ?? 0) + 1 - StoredResponse.maximumVariantCount
      for number in state.numbers[url]?.prefix(max(0, excess)) ?? [] {
        Self.forget(number, &state)
      }
      state.lastNumber += 1
      state.kept[state.lastNumber] = kept
      state.numbers[url, default: []].append(state.lastNumber)
      state.queue.append(state.lastNumber)
      state.byteCount += kept.cost
      evict(&state)
    }
  }

  private func evict(_ state: inout State) {
    while state.byteCount > maximumByteCount, let number = state.queue.popFirst() {
      guard let candidate = state.kept[number] else { continue }
      if candidate.wasUsed {
        state.kept[number]?.wasUsed = false
        state.queue.append(number)
      } else {
        Self.forget(number, &state)
      }
    }
    // Answers that were replaced leave their numbers behind.
    if state.queue.count > 2 * state.kept.count + 64 {
      state.queue = CircularBuffer(state.queue.filter { state.kept[$0] != nil })
    }
  }

  private static func number(of entry: ProxyEntry, _ url: String, _ state: State) -> Int? {
    state.numbers[url]?.first { state.kept[$0]?.answer == entry.response }
  }

  private static func forget(_ number: Int, _ state: inout State) {
    guard let old = state.kept.removeValue(forKey: number) else { return }
    state.byteCount -= old.cost
    state.numbers[old.url]?.removeAll { $0 == number }
    if state.numbers[old.url]?.isEmpty == true { state.numbers[old.url] = nil }
  }

  private func entry(_ number: Int, _ kept: Kept) -> ProxyEntry {
    let bytes = kept.bytes
    let key = CacheKey.original(url: kept.url, vary: kept.answer.selection)
    return ProxyEntry(key: key, response: kept.answer) { [self] in
      state.withLock { Self.touch(number, &$0) }
      return BytesInMemory(bytes: bytes)
    }
  }
}

/// Bytes at hand.
struct BytesInMemory: StoredBody {
  let bytes: [UInt8]

  func read(at offset: Int, count: Int) -> [UInt8] {
    Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
  }
}

/// An answer on its way into memory.
private final class StagedInMemory: StagedResponse {
  private let store: MemoryProxyStore
  private let maximumByteCount: Int
  private let bytes = Locked<[UInt8]>([])

  init(_ store: MemoryProxyStore, maximumByteCount: Int) {
    self.store = store
    self.maximumByteCount = maximumByteCount
  }

  func append(_ more: [UInt8]) throws {
    try bytes.withLock { bytes in
      guard more.count <= maximumByteCount - bytes.count else {
        throw ImageError(.cacheFull, "an answer is too large to be kept in memory")
      }
      bytes += more
    }
  }

  func read(at offset: Int, count: Int) -> [UInt8] {
    bytes.withLock { bytes in
      Array(bytes[min(offset, bytes.count)..<min(offset + count, bytes.count)])
    }
  }

  func commit(_ answer: StoredResponse, for url: String) {
    store.put(bytes.withLock { $0 }, answer, for: url)
  }
}
