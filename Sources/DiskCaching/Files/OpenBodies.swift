import CPlatform

/// Recently read files of small bodies, still open: opening and closing one takes a seventh of a
/// hit of the proxy.
///
/// A file is used for a second, then it is opened again by its path, so that its removal or damage
/// is noticed. Files of bodies that are not requested again stay open until another one takes the
/// place.
struct OpenBodies {
  private struct Slot {
    let content: CacheContent
    /// In microseconds.
    let opened: Int64
    let file: BodyFile

    func isValid(at now: Int64) -> Bool { (opened...opened + OpenBodies.lifetime).contains(now) }
  }

  private static let lifetime: Int64 = 1_000_000
  /// A sixteenth of the descriptors that the process may have, at most 256.
  private static let maximumCount = Int(min(256, imgc_limits_raise_open_files(0) / 16))

  private var slots: [Slot?] = []
  private var attempts = 0

  /// Returns the file of some bytes, if it was opened less than a second ago.
  func file(of content: CacheContent, at now: Int64) -> BodyFile? {
    guard !slots.isEmpty, let slot = slots[place(of: content)], slot.content == content,
      slot.isValid(at: now)
    else { return nil }
    return slot.file
  }

  /// Keeps a file open; in place of one that is in use only at every eighth attempt.
  mutating func keep(_ file: BodyFile, of content: CacheContent, at now: Int64) {
    if slots.isEmpty { slots = Array(repeating: nil, count: Self.maximumCount) }
    if slots.isEmpty { return }
    attempts &+= 1
    let place = place(of: content)
    if let slot = slots[place], slot.content != content, slot.isValid(at: now), attempts & 7 != 0 {
      return
    }
    slots[place] = Slot(content: content, opened: now, file: file)
  }

  /// Closes the files that are not in use.
  mutating func close() { slots = [] }

  private func place(of content: CacheContent) -> Int { Int(content.checksum) % slots.count }
}
