public import ImageModel

/// The memory that the frames of all animations share; what was used longest ago goes first.
///
/// Players of one content share frames. A player holds the frame it shows by itself, so that a
/// budget of zero still shows every animation.
public final class FrameBudget: MemoryConsuming {
  /// A kept canvas: of which content, which frame, and whether before that frame is drawn.
  struct Key: Hashable {
    let content: String
    let index: Int
    /// A canvas to go on from, and not one to be shown.
    let isCheckpoint: Bool
  }

  private struct Entry {
    var pixels: PixelBuffer
    var newer: Key?
    var older: Key?
  }

  private struct State {
    var limit: Int
    var byteCount = 0
    var entries: [Key: Entry] = [:]
    var newest: Key?
    var oldest: Key?

    mutating func link(_ key: Key, _ pixels: PixelBuffer) {
      entries[key] = Entry(pixels: pixels, newer: nil, older: newest)
      if let newest { entries[newest]?.newer = key }
      newest = key
      oldest = oldest ?? key
      byteCount += pixels.bytes.count
    }

    mutating func unlink(_ key: Key) {
      guard let entry = entries.removeValue(forKey: key) else { return }
      byteCount -= entry.pixels.bytes.count
      if let newer = entry.newer {
        entries[newer]?.older = entry.older
      } else {
        newest = entry.older
      }
      if let older = entry.older {
        entries[older]?.newer = entry.newer
      } else {
        oldest = entry.newer
      }
    }

    mutating func evict() {
      while byteCount > limit, let oldest { unlink(oldest) }
    }
  }

  private let state: Locked<State>

  /// Creates a budget.
  ///
  /// - Parameter maximumByteCount: Bytes of pixels kept at most (default: 64 MiB).
  public init(maximumByteCount: Int = 64 << 20) {
    state = Locked(State(limit: max(0, maximumByteCount)))
  }

  /// The bytes of pixels that are kept now.
  public var byteCount: Int { state.withLock { $0.byteCount } }

  /// Frames and canvases that are kept now.
  public var count: Int { state.withLock { $0.entries.count } }

  /// Sets another limit and releases any excess at once.
  public func setMaximumByteCount(_ limit: Int) {
    state.withLock {
      $0.limit = max(0, limit)
      $0.evict()
    }
  }

  func pixels(for key: Key) -> PixelBuffer? {
    state.withLock { state -> PixelBuffer? in
      guard let entry = state.entries[key] else { return nil }
      state.unlink(key)
      state.link(key, entry.pixels)
      return entry.pixels
    }
  }

  func contains(_ key: Key) -> Bool { state.withLock { $0.entries[key] != nil } }

  func keep(_ pixels: PixelBuffer, for key: Key) {
    state.withLock { state in
      guard pixels.bytes.count <= state.limit else { return }
      if state.entries[key] != nil { state.unlink(key) }
      state.link(key, pixels)
      state.evict()
    }
  }
}
