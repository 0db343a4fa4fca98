/// Records read lately, kept in memory as long as nobody changes them; see ``IndexGenerations``.
///
/// Two maps take turns: when the young one is full, it becomes the old one, and what nobody asked for since goes.
struct RecordFront {
  /// A record with what a hit needs beside it.
  final class Entry: Sendable {
    let found: IndexedRecord
    let path: String
    let generation: UInt64

    init(found: IndexedRecord, path: String, generation: UInt64) {
      self.found = found
      self.path = path
      self.generation = generation
    }
  }

  static let maximumCount = 4096

  private var young: [UInt64: Entry] = [:]
  private var old: [UInt64: Entry] = [:]

  /// The entry of a key hash, if it is there and of this generation.
  mutating func entry(_ hash: UInt64, generation: UInt64) -> Entry? {
    if let entry = young[hash] { return entry.generation == generation ? entry : nil }
    guard let entry = old[hash], entry.generation == generation else { return nil }
    insert(entry, for: hash)
    return entry
  }

  mutating func insert(_ entry: Entry, for hash: UInt64) {
    if young.count >= Self.maximumCount {
      old = young
      young = [:]
      young.reserveCapacity(Self.maximumCount)
    }
    young[hash] = entry
  }

  mutating func remove(_ hash: UInt64) {
    young[hash] = nil
    old[hash] = nil
  }

  mutating func removeAll() {
    young = [:]
    old = [:]
  }
}
