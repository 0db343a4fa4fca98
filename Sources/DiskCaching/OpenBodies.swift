import CPlatform

/// Files of small bodies that were read a moment ago, still open: opening and closing one takes a
/// seventh of a hit of the proxy.
///
/// A file is used for a second, then it is opened again by its path, so that one that was removed or
/// damaged shows. Those of bodies that are not asked for again stay open until another one takes the
/// place.
struct OpenBodies {
  private struct Slot {
    let content: CacheContent
    /// In microseconds.
    let opened: Int64
    let file: BodyFile
  }

  private static let lifetime: Int64 = 1_000_000
  /// A sixteenth of the descriptors that the process may have, at most 256.
  private static let maximumCount = Int(min(256, imgc_limits_raise_open_files(0) / 16))

  private var slots: [Slot?] = []

  /// Returns the file of some bytes, if it was opened less than a second ago.
  func file(of content: CacheContent, at now: Int64) -> BodyFile? {
    guard !slots.isEmpty, let slot = slots[place(of: content)], slot.content == content,
      (slot.opened...slot.opened + Self.lifetime).contains(now)
    else { return nil }
    return slot.file
  }

  /// Keeps a file open.
  mutating func keep(_ file: BodyFile, of content: CacheContent, at now: Int64) {
    if slots.isEmpty { slots = Array(repeating: nil, count: Self.maximumCount) }
    if !slots.isEmpty {
      slots[place(of: content)] = Slot(content: content, opened: now, file: file)
    }
  }

  /// Closes the files that are not in use.
  mutating func close() { slots = [] }

  private func place(of content: CacheContent) -> Int { Int(content.checksum) % slots.count }
}
