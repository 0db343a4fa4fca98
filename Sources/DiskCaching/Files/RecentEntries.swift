import CPlatform

/// What was read recently, each entry at the place that its key determines.
///
/// An entry takes the place of another one only at every so many-th attempt: where there are many
/// more keys than places, most entries would be replaced before they are requested again.
struct RecentEntries<Entry: RecentEntry>: Sendable {
  private let count: Int
  private let attemptsPerReplacement: Int
  private var entries: [Entry?] = []
  private var attempts = 0

  /// - Parameter count: The number of places, rounded down to a power of two.
  init(count: Int, attemptsPerReplacement: Int = 1) {
    self.count = 1 << (Int.bitWidth - 1 - max(1, count).leadingZeroBitCount)
    self.attemptsPerReplacement = attemptsPerReplacement
  }

  @inline(__always) subscript(key: Entry.Key) -> Entry? {
    if entries.isEmpty { return nil }
    let entry = entries[place(of: key)]
    return entry?.key == key ? entry : nil
  }

  /// - Parameter isOver: Whether another entry need not be kept. Default: it is kept.
  mutating func insert(_ entry: Entry, insteadOf isOver: (Entry) -> Bool = { _ in false }) {
    if entries.isEmpty { entries = Array(repeating: nil, count: count) }
    let place = place(of: entry.key)
    attempts &+= 1
    if let other = entries[place], other.key != entry.key, !isOver(other),
      attempts % attemptsPerReplacement != 0
    {
      return
    }
    entries[place] = entry
  }

  mutating func removeAll() { entries = [] }

  @inline(__always) private func place(of key: Entry.Key) -> Int {
    Int(truncatingIfNeeded: Entry.number(of: key)) & (count - 1)
  }
}

protocol RecentEntry: Sendable {
  associatedtype Key: Equatable
  var key: Key { get }
  /// A number whose lower bits differ from key to key.
  static func number(of key: Key) -> UInt64
}

/// The file of a small body, still open: opening one takes a seventh of a hit of the proxy.
///
/// It is used for a second, then opened again by its path, so that its removal or damage is
/// noticed. One that is not requested again stays open until another one takes its place.
struct OpenBody: RecentEntry {
  /// A sixteenth of the descriptors that the process may have, at most 256.
  static let maximumCount = Int(min(256, imgc_limits_raise_open_files(0) / 16))
  private static let lifetime: Int64 = 1_000_000

  let key: CacheContent
  let file: BodyFile
  /// In microseconds.
  let opened: Int64

  func isValid(at now: Int64) -> Bool { (opened...opened + Self.lifetime).contains(now) }

  static func number(of key: CacheContent) -> UInt64 { UInt64(key.checksum) }
}

/// A file whose checksum this process has compared: a long body is read whole only before its first
/// hit, and when its file has changed.
struct VerifiedFile: RecentEntry, Equatable {
  static let maximumCount = 1024

  let version: BodyFile.Version
  let checksum: UInt32

  var key: VerifiedFile { self }

  static func number(of key: VerifiedFile) -> UInt64 { key.version.inode }
}
