import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What to purge: originals with all their variants, whatever their freshness, pinned or not.
public struct CachePurge: Sendable, Hashable {
  /// The URLs of originals, as their source spells them.
  public var urls: [String]
  /// The tags of originals.
  public var tags: [CacheTag]

  /// Creates a purge; set what it is for.
  public init(urls: [String] = [], tags: [CacheTag] = []) {
    self.urls = urls
    self.tags = tags
  }

  /// The tags, those of the URLs among them.
  var allTags: Set<CacheTag> { Set(tags).union(urls.map { CacheTag.source($0) }) }
}

/// What has just been purged from a directory, by any process, for those who keep copies in memory.
public struct PurgeNotice: Sendable {
  private let matcher: CacheTagMatcher
  private let isEverything: Bool

  package init(_ purge: CachePurge) { self.init(purge.allTags) }

  init(_ tags: some Sequence<CacheTag>, isEverything: Bool = false) {
    matcher = CacheTagMatcher(tags)
    self.isEverything = isEverything
  }

  /// Whether copies of a URL's response, and what was made of it, are to be forgotten.
  public func covers(url: String) -> Bool { isEverything || matcher.matches(url: url) }
}

/// The latest purges of a directory: loads that began before one and end after it are not stored.
///
/// It is a small value of the directory, so that every process knows it. Its size is bounded: when
/// there are more purges, or older ones than any load is, all URLs count as purged up to then. That
/// is safe: no entry is removed by it, and only loads that began before are not stored.
struct PurgeMarks: Sendable, Hashable {
  private struct Mark: Sendable, Hashable {
    let tag: CacheTag
    /// Microseconds since 1970.
    let time: Int64
  }

  static let stateName = "purges"
  private static let maximumCount = 64
  /// Microseconds for which a mark is kept.
  private static let lifetime: Int64 = 3_600_000_000

  /// Before this moment everything counts as purged.
  private var floor: Int64 = 0
  private var marks: [Mark] = []

  init() {}

  /// Reads the text of a state; what is not legible has no marks.
  init(_ text: String?) {
    let lines = (text ?? "").split(separator: "\n")
    floor = lines.first.flatMap { Int64($0) } ?? 0
    marks = lines.dropFirst().compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 2, let time = Int64(words[0]), let tag = CacheTag(words[1]) else {
        return nil
      }
      return Mark(tag: tag, time: time)
    }
  }

  var text: String {
    (["\(floor)"] + marks.map { "\($0.time) \($0.tag)" }).joined(separator: "\n")
  }

  /// The time of the latest purge.
  var last: Int64 { marks.reduce(floor) { max($0, $1.time) } }

  /// Adds a purge.
  ///
  /// - Parameter tags: What was purged; `nil` for everything.
  mutating func add(_ tags: Set<CacheTag>?, at time: Int64) {
    guard let tags, tags.count <= Self.maximumCount else {
      floor = max(floor, time)
      marks = []
      return
    }
    marks.removeAll { $0.time < time - Self.lifetime || tags.contains($0.tag) }
    marks += tags.map { Mark(tag: $0, time: time) }
    let excess = marks.count - Self.maximumCount
    for mark in marks.prefix(max(0, excess)) { floor = max(floor, mark.time) }
    marks.removeFirst(max(0, excess))
  }

  /// Whether the response of an original, or of a variant stored without one, was requested before
  /// it was purged.
  func cover(_ record: CacheRecord) -> Bool {
    let requested = record.requestTime.microseconds
    if requested < floor { return true }
    let later = marks.filter { requested < $0.time }
    return !later.isEmpty && CacheTagMatcher(later.map(\.tag)).matches(record)
  }

  /// What was purged after a moment.
  func notice(after time: Int64) -> PurgeNotice {
    PurgeNotice(marks.filter { $0.time > time }.map(\.tag), isEverything: floor > time)
  }
}
