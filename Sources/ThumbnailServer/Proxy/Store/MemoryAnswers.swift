import ImagePipeline
import NIOCore

/// Keeps answers in memory, up to a number of bytes.
///
/// Who goes first is told by a clock (Corbató, "A Paging Experiment with the Multics System", 1968): the oldest one
/// that nobody has asked for since it was last considered.
final class MemoryAnswers: AnswerStoring {
  private struct Kept {
    let url: String
    var answer: StoredAnswer
    let bytes: [UInt8]
    var wasUsed = false

    /// Bytes of the body, and a share for the fields.
    var cost: Int { bytes.count + 1024 }
  }

  private struct State {
    var kept: [Int: Kept] = [:]
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

  func answers(for url: String) -> [StoredEntry] {
    state.withLock { state in
      (state.numbers[url] ?? []).compactMap { number in
        guard let kept = state.kept[number] else { return nil }
        state.kept[number]?.wasUsed = true
        return Self.entry(kept)
      }
    }
  }

  func stage(byteCount: Int?) -> (any StagedAnswer)? {
    let maximum = maximumByteCount / 4
    return byteCount ?? 0 <= maximum ? StagedInMemory(self, maximumByteCount: maximum) : nil
  }

  func renew(_ entry: StoredEntry, as answer: StoredAnswer, for url: String) {
    let bytes = state.withLock { state -> [UInt8]? in
      guard let number = Self.number(of: entry, url, state) else { return nil }
      // Chosen by other fields now: kept under them as well.
      if answer.selection != entry.answer.selection { return state.kept[number]?.bytes }
      state.kept[number]?.answer = answer
      return nil
    }
    if let bytes { _ = put(bytes, answer, for: url) }
  }

  func remove(_ entry: StoredEntry, for url: String) {
    state.withLock { state in
      if let number = Self.number(of: entry, url, state) { Self.forget(number, &state) }
    }
  }

  func removeAll(for url: String) {
    state.withLock { state in
      for number in state.numbers[url] ?? [] { Self.forget(number, &state) }
    }
  }

  fileprivate func put(_ bytes: [UInt8], _ answer: StoredAnswer, for url: String) -> StoredEntry {
    var answer = answer
    answer.byteCount = bytes.count
    let kept = Kept(url: url, answer: answer, bytes: bytes)
    state.withLock { state in
      for number in state.numbers[url] ?? []
      where state.kept[number]?.answer.selection == answer.selection {
        Self.forget(number, &state)
      }
      state.lastNumber += 1
      state.kept[state.lastNumber] = kept
      state.numbers[url, default: []].append(state.lastNumber)
      state.queue.append(state.lastNumber)
      state.byteCount += kept.cost
      evict(&state)
    }
    return Self.entry(kept)
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

  private static func number(of entry: StoredEntry, _ url: String, _ state: State) -> Int? {
    state.numbers[url]?.first { state.kept[$0]?.answer == entry.answer }
  }

  private static func forget(_ number: Int, _ state: inout State) {
    guard let old = state.kept.removeValue(forKey: number) else { return }
    state.byteCount -= old.cost
    state.numbers[old.url]?.removeAll { $0 == number }
    if state.numbers[old.url]?.isEmpty == true { state.numbers[old.url] = nil }
  }

  private static func entry(_ kept: Kept) -> StoredEntry {
    let bytes = kept.bytes
    return StoredEntry(answer: kept.answer) { BytesInMemory(bytes: bytes) }
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
private final class StagedInMemory: StagedAnswer {
  private let store: MemoryAnswers
  private let maximumByteCount: Int
  private let bytes = Locked<[UInt8]>([])

  init(_ store: MemoryAnswers, maximumByteCount: Int) {
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

  func commit(_ answer: StoredAnswer, for url: String) -> StoredEntry {
    store.put(bytes.withLock { $0 }, answer, for: url)
  }
}
