public import ImageModel

/// The selection of a purge: originals with all their variants, regardless of freshness, pinned or
/// not.
public struct CachePurge: Sendable, Hashable {
  /// The URLs of originals, as their source spells them.
  public var urls: [String]
  /// The tags of originals.
  public var tags: [CacheTag]
  /// Only what was fetched before is removed; loads that began before now are not stored in any
  /// case. Default: everything is.
  public var fetchedBefore = Date.distantFuture

  /// Creates a purge; set what it is for.
  public init(urls: [String] = [], tags: [CacheTag] = []) {
    self.urls = urls
    self.tags = tags
  }

  /// The tags, those of the URLs among them.
  var allTags: Set<CacheTag> { Set(tags).union(urls.map { CacheTag.source($0) }) }

  /// As the observers of ``DiskCache/observePurges(_:)`` get it.
  package var isPurged: (_ url: String) -> Bool { CacheTagMatcher(allTags).matches(url:) }
}

/// The latest purges of a directory: loads that began before one and end after it are not stored.
///
/// It is a small value of the directory, so that every process can read it. Its size is bounded: if
/// there are more purges, or older ones than any load is, all URLs count as purged up to then. That
/// is safe: it removes no entry, and only loads that began before are not stored.
struct PurgeMarks: Sendable {
  private struct Mark: Sendable, Hashable {
    let tag: CacheTag
    /// Grows from purge to purge, even where clocks are set back.
    let number: UInt64
    /// Microseconds since 1970.
    let time: Int64
  }

  static let stateName = "purges"
  private static let maximumCount = 64
  /// Microseconds for which a mark is kept.
  private static let lifetime: Int64 = 3_600_000_000

  /// Before this moment everything counts as purged, by a purge of this number.
  private var floor: (time: Int64, number: UInt64) = (0, 0)
  private var marks: [Mark] = []

  /// Reads the text of a state; what is not legible has no marks.
  init(_ text: String? = nil) {
    let lines = (text ?? "").split(separator: "\n").map { $0.split(separator: " ") }
    for (index, words) in lines.enumerated() {
      guard words.count == (index == 0 ? 2 : 3), let time = Int64(words[0]),
        let number = UInt64(words[1])
      else { continue }
      if index == 0 {
        floor = (time, number)
      } else if let tag = CacheTag(words[2]) {
        marks.append(Mark(tag: tag, number: number, time: time))
      }
    }
  }

  var text: String {
    (["\(floor.time) \(floor.number)"] + marks.map { "\($0.time) \($0.number) \($0.tag)" })
      .joined(separator: "\n")
  }

  var latestTime: Int64 { marks.reduce(floor.time) { max($0, $1.time) } }
  var lastNumber: UInt64 { marks.reduce(floor.number) { max($0, $1.number) } }

  /// Adds a purge of tags, or with `nil` of everything; numbers grow from purge to purge.
  mutating func add(_ tags: Set<CacheTag>?, number: UInt64, at time: Int64) {
    guard let tags, tags.count <= Self.maximumCount else {
      floor = (max(latestTime, time), number)
      marks = []
      return
    }
    marks.removeAll { $0.time < time - Self.lifetime || tags.contains($0.tag) }
    marks += tags.map { Mark(tag: $0, number: number, time: time) }
    let excess = max(0, marks.count - Self.maximumCount)
    for mark in marks.prefix(excess) {
      floor = (max(floor.time, mark.time), max(floor.number, mark.number))
    }
    marks.removeFirst(excess)
  }

  /// Whether the response of an original, or of a variant stored without one, was requested before
  /// it was purged. A purge in the future, after a clock was set back, is ignored.
  ///
  /// - Parameter begun: When the load began that stores it, or what is made of it; `nil` for an
  ///   entry that is there. Purges that are not known one by one concern loads alone: an original
  ///   that is older than one was not purged by it, or it would not be there.
  func cover(_ record: CacheRecord, begun: Int64?, at now: Int64) -> Bool {
    let requested = record.requestTime.microseconds
    if let begun, max(begun, requested) < floor.time, floor.time <= now { return true }
    let later = marks.filter { requested < $0.time && $0.time <= now }
    return !later.isEmpty && CacheTagMatcher(later.map(\.tag)).matches(record)
  }

  /// Whether what was made of a URL's response is to be forgotten for purges after one.
  func isPurged(after number: UInt64) -> (_ url: String) -> Bool {
    let matcher = CacheTagMatcher(marks.filter { $0.number > number }.map(\.tag))
    let isEverything = floor.number > number
    return { isEverything || matcher.matches(url: $0) }
  }
}
