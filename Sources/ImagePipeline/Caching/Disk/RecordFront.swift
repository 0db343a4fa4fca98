/// Records read lately, kept in memory as long as nobody changes them; see ``IndexGenerations``.
///
/// Two maps take turns: when the young one is full, it becomes the old one, and what nobody asked for since goes.
struct RecordFront {
  /// A record with what a hit needs beside it.
  final class Entry: Sendable {
    let found: IndexedRecord
    let path: String

    init(found: IndexedRecord, path: String) {
      self.found = found
      self.path = path
    }
  }

  /// Everything the index holds under one key hash: mostly one record, none for a miss, several variations of a URL.
  struct Answer: Sendable {
    let entries: [Entry]
    let generation: UInt64
  }

  static let maximumCount = 4096

  private var young: [UInt64: Answer] = [:]
  private var old: [UInt64: Answer] = [:]

  /// The answer for a key hash, if it is there and of this generation.
  mutating func answer(_ hash: UInt64, generation: UInt64) -> Answer? {
    if let answer = young[hash] { return answer.generation == generation ? answer : nil }
    guard let answer = old[hash], answer.generation == generation else { return nil }
    insert(answer, for: hash)
    return answer
  }

  mutating func insert(_ answer: Answer, for hash: UInt64) {
    if young.count >= Self.maximumCount {
      old = young
      young = [:]
      young.reserveCapacity(Self.maximumCount)
    }
    young[hash] = answer
  }

  mutating func removeAll() {
    young = [:]
    old = [:]
  }
}
