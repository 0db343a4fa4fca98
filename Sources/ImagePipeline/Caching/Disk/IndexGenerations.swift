import CPlatform

/// Numbers that all processes share and that tell whether a record read from the index earlier still stands.
///
/// A file of 4,096 words in memory, `index.generations`. Every key has a word. The process that changes a key's
/// record makes its word odd before the commit and even after it, under the index's write lock. So an even word that
/// has not changed since means: nobody has changed the record. A process that dies in between leaves the word odd;
/// then the index is asked each time, until the next change makes it even again. The first word stands for all keys.
final class IndexGenerations: Sendable {
  static let count = 4096

  /// The address of the words: a pointer may not travel, a number may.
  private let address: UInt

  /// Maps the file, making it as needed; `nil` where the file system cannot share memory.
  init?(path: String, files: any FileSystem) {
    let opened: Int32? =
      (try? files.open(path, forWriting: true)) ?? (try? files.create(path, mode: 0o644))
      ?? (try? files.open(path, forWriting: true))
    guard let file = opened else { return nil }
    defer { files.close(file) }
    guard let words = imgc_words_map(file, Self.count) else { return nil }
    address = UInt(bitPattern: words)
  }

  deinit {
    if let words = UnsafeMutableRawPointer(bitPattern: address) {
      imgc_words_unmap(words, Self.count)
    }
  }

  /// The word of a key.
  static func slot(of hash: UInt64) -> Int { 1 + Int(hash % UInt64(count - 1)) }

  /// The state of a key, changed by every change of its record; `nil` while one is under way.
  func generation(of slot: Int) -> UInt64? {
    guard let words = UnsafeRawPointer(bitPattern: address) else { return nil }
    let (own, all) = (imgc_word_load(words, slot), imgc_word_load(words, 0))
    return own & 1 == 0 && all & 1 == 0 ? own &+ all << 32 : nil
  }

  /// Marks words before a commit.
  func begin(_ slots: Set<Int>) {
    guard let words = UnsafeMutableRawPointer(bitPattern: address) else { return }
    for slot in slots where imgc_word_load(words, slot) & 1 == 0 { imgc_word_add(words, slot, 1) }
  }

  /// Frees words after the commit.
  func end(_ slots: Set<Int>) {
    guard let words = UnsafeMutableRawPointer(bitPattern: address) else { return }
    for slot in slots { imgc_word_add(words, slot, 1) }
  }
}
