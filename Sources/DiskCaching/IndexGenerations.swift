import CPlatform
import ImageModel

/// Counters shared by all processes, which tell whether a record read from the index is still
/// current.
///
/// They are 4,096 words in a mapped file, `index.generations`, one for each key. The process that
/// changes a key's record makes its word odd before the commit and even after it, under the index's
/// write lock. An even word that has not changed since thus means an unchanged record. A process
/// that dies in between leaves the word odd; then the index is read each time, until the next
/// change makes it even again. The first word is that of all keys.
final class IndexGenerations: Sendable {
  static let count = 4096

  /// The words, accessed by atomic operations.
  private let words: SharedPointer<UnsafeMutableRawPointer>

  /// Maps the file, which is created if needed; `nil` if the file system cannot share memory.
  init?(path: String, files: any FileSystem) {
    let opened: Int32? =
      (try? files.open(path, forWriting: true)) ?? (try? files.create(path, mode: 0o644))
      ?? (try? files.open(path, forWriting: true))
    guard let file = opened else { return nil }
    defer { files.close(file) }
    guard let words = imgc_words_map(file, Self.count) else { return nil }
    self.words = SharedPointer(words)
  }

  deinit {
    imgc_words_unmap(words.pointer, Self.count)
  }

  /// The index of a key's word.
  static func slot(of hash: UInt64) -> Int { 1 + Int(hash % UInt64(count - 1)) }

  /// The generation of a key, which every change of its record increments; `nil` during a change.
  func generation(of slot: Int) -> UInt64? {
    let words = words.pointer
    let (own, all) = (imgc_word_load(words, slot), imgc_word_load(words, 0))
    return own & 1 == 0 && all & 1 == 0 ? own &+ all << 32 : nil
  }

  /// Marks words before a commit.
  func begin(_ slots: Set<Int>) {
    let words = words.pointer
    for slot in slots where imgc_word_load(words, slot) & 1 == 0 { imgc_word_add(words, slot, 1) }
  }

  /// Unmarks words after the commit.
  func end(_ slots: Set<Int>) {
    for slot in slots { imgc_word_add(words.pointer, slot, 1) }
  }
}
