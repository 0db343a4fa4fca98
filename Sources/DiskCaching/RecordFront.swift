/// Records read lately, in memory until they change; see ``IndexGenerations``.
///
/// Two maps take turns: when the young one is full, it replaces the old one, whose unused records
/// are dropped.
struct RecordFront {
  /// A record with the path of its file.
  final class Entry: Sendable {
    let found: IndexedRecord
    let path: String

    init(found: IndexedRecord, path: String) {
      self.found = found
      self.path = path
    }
  }

  /// The entries under one key hash: mostly one, none for a miss, several for variations of a URL.
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
