import ImageModel
import NIOCore
import Synchronization

/// The responses in memory that one event loop sends often, as copies of its own: threads that send
/// one object write to its count of references at the same time, which costs more than the rest of
/// a hit.
///
/// A copy is used for a second at most, while nothing in memory changes, and no longer than the
/// response lasts; then the memory tier is asked again, which so knows what is in use.
final class LoopResponses {
  private struct Key: Hashable {
    let target: ExactString
    let accepted: ContentNegotiation
  }

  /// An object, so that a look-up does not retain the original, whose memory is the tier's.
  private final class Entry {
    let copy: ReadyImage
    private(set) weak var original: ReadyImage?
    var changeCount: UInt64
    var end: UInt64

    init(_ original: ReadyImage, _ changeCount: UInt64, until end: UInt64) {
      copy = original.copied()
      self.original = original
      self.changeCount = changeCount
      self.end = end
    }
  }

  /// Larger bodies are not copied: their bytes cost more than the count of references.
  private static let maximumBodyByteCount = 64 << 10
  private static let lifetime: UInt64 = 1_000_000_000

  private let memory: ResponseMemory
  private let uses: ResponseMemory.Uses
  private var entries: [Key: Entry] = [:]
  private(set) var byteCount = 0
  /// Hashes of keys that were asked for lately: what is asked for once is not copied.
  private var seen = [Int](repeating: 0, count: 1024)
  private var sweptAt: UInt64 = 0

  init(of memory: ResponseMemory) {
    self.memory = memory
    uses = memory.addUses()
  }

  /// The time on the memory tier's clock.
  var now: UInt64 { memory.clock() }

  /// The response to a target below a path; `nil` for a miss.
  func response(
    to target: String, under prefix: String, accepting accepted: ContentNegotiation, at now: UInt64
  ) -> ReadyImage? {
    let key = Key(target: ExactString(target), accepted: accepted)
    let changeCount = memory.changeCount
    if let entry = entries[key], entry.changeCount == changeCount, now < entry.end {
      uses.count.wrappingAdd(1, ordering: .relaxed)
      return entry.copy
    }
    guard
      let response = memory.cache.response(to: target, under: prefix, accepting: { accepted })
    else {
      remove(key)
      return nil
    }
    return kept(response, for: key, changeCount, at: now)
  }

  /// A response of the tier as this loop sends it.
  private func kept(
    _ response: ReadyImage, for key: Key, _ changeCount: UInt64, at now: UInt64
  ) -> ReadyImage {
    let end = min(now + Self.lifetime, response.end)
    if let entry = entries[key], entry.original === response {
      (entry.changeCount, entry.end) = (changeCount, end)
      return entry.copy
    }
    remove(key)
    guard response.body.readableBytes <= Self.maximumBodyByteCount, isSeenAgain(key),
      hasRoom(for: response, at: now)
    else { return response }
    let entry = Entry(response, changeCount, until: end)
    byteCount += entry.copy.cost
    entries[key] = entry
    return entry.copy
  }

  private func remove(_ key: Key) {
    if let old = entries.removeValue(forKey: key) { byteCount -= old.copy.cost }
  }

  /// Whether a copy fits. A full table loses what was not sent for a second, once a second: copies
  /// that take each other's place would cost more than they save.
  private func hasRoom(for response: ReadyImage, at now: UInt64) -> Bool {
    if byteCount + response.cost > memory.loopByteCount, now >= sweptAt + Self.lifetime {
      sweptAt = now
      for (key, entry) in entries where entry.end <= now { remove(key) }
    }
    return byteCount + response.cost <= memory.loopByteCount
  }

  private func isSeenAgain(_ key: Key) -> Bool {
    let hash = key.hashValue
    let place = hash & (seen.count - 1)
    defer { seen[place] = hash }
    return seen[place] == hash
  }
}
