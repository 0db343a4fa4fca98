import DiskCaching
public import ImageModel
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The stories that a search found; see ``DayArchive/stories(matching:ofFeed:limit:)``.
public struct FoundStories: Sendable, Hashable {
  /// A story of a day in the cache.
  public struct Match: Sendable, Hashable {
    /// The newest day that has it.
    public var day: DayKey
    /// The story, as the day has it.
    public var story: FeedStory
    /// Whether its own page is in the cache.
    public var hasPage: Bool

    /// Creates a match.
    public init(day: DayKey, story: FeedStory, hasPage: Bool = false) {
      self.day = day
      self.story = story
      self.hasPage = hasPage
    }
  }

  /// Those with all words in their titles, newest day first, then those with words in their texts.
  public var matches: [Match]
  /// Whether no day was left out that might have more of them.
  public var isComplete: Bool

  /// Creates the result of a search.
  public init(matches: [Match] = [], isComplete: Bool = true) {
    self.matches = matches
    self.isComplete = isComplete
  }

  /// Searches the titles of days, newest first, as
  /// ``DayArchive/stories(matching:ofFeed:limit:)`` does.
  public init(
    matching words: String, ofFeed feed: String? = nil, limit: Int, in days: some Sequence<FeedDay>
  ) {
    var search = StorySearch(FoldedText.terms(of: words), feed, limit)
    for day in days { search.add(StorySearch.stories(of: day)[...], of: day.day) }
    self.init(matches: search.matches)
  }
}

/// A search of the stories of days, newest first.
struct StorySearch: Sendable {
  /// Of a longer text the beginning is searched.
  static let maximumScalarCount = 100_000
  /// The texts of a day that are searched, about.
  static let maximumByteCount = 4 << 20

  private let terms: [[UInt8]]
  private let feed: String?
  private let limit: Int
  private var byTitle: [FoundStories.Match] = []
  private var byText: [FoundStories.Match] = []
  private var seen: Set<String> = []

  init(_ terms: [[UInt8]], _ feed: String?, _ limit: Int) {
    self.terms = terms
    self.feed = feed
    self.limit = limit
  }

  /// The stories of a day, each once, with the texts of their pages.
  static func stories(of day: FeedDay, _ pages: [String: StoryPage] = [:]) -> [UInt8] {
    var writer = ByteWriter()
    var byteCount = 0
    var seen: Set<String> = []
    for story in day.stories + day.topStories where seen.insert(story.id).inserted {
      let page = pages[story.id]
      let html = byteCount < maximumByteCount ? page?.html : nil
      let text = FoldedText.folded(
        html.map(HTMLSanitizer.text) ?? "", maximumScalarCount: maximumScalarCount)
      byteCount += text.count
      writer.counted(FoldedText.folded(story.title))
      writer.counted(text)
      writer.text(story.feed?.url ?? "")
      writer.integer(UInt8(page == nil ? 0 : 1))
      writer.counted((try? JSONText.encoded(story)) ?? [])
    }
    return writer.bytes
  }

  /// Whether older days have nothing to add.
  var isFull: Bool { byTitle.count == limit }

  var matches: [FoundStories.Match] { Array((byTitle + byText).prefix(limit)) }

  /// Adds stories of a day that were written by ``stories(of:_:)``.
  mutating func add(
    _ stories: ArraySlice<UInt8>, of day: DayKey, leavingOut skipped: Set<String> = []
  ) {
    stories.withUnsafeBytes { bytes in
      var reader = ByteReader(bytes)
      while reader.offset < bytes.count, !reader.isOverrun, !isFull {
        let (title, text) = (reader.counted(), reader.counted())
        let (url, hasPage) = (reader.counted(), reader.integer(UInt8.self) == 1)
        let encoded = reader.counted()
        let inTitle = terms.allSatisfy { FoldedText.contains($0, in: title) }
        guard feed.map({ url.elementsEqual($0.utf8) }) ?? true,
          inTitle || byText.count < limit && isMatch(title, text),
          var story = try? JSONDecoder().decode(FeedStory.self, from: Data(encoded)),
          seen.insert(story.id).inserted
        else { continue }
        story.images.removeAll { skipped.contains($0.url) }
        let match = FoundStories.Match(day: day, story: story, hasPage: hasPage)
        if inTitle { byTitle.append(match) } else { byText.append(match) }
      }
    }
  }

  private func isMatch(_ title: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer) -> Bool {
    terms.allSatisfy { FoldedText.contains($0, in: text) || FoldedText.contains($0, in: title) }
  }
}

extension ByteWriter {
  fileprivate mutating func counted(_ bytes: [UInt8]) {
    integer(UInt32(clamping: bytes.count))
    bytes.withUnsafeBytes { append($0) }
  }
}

extension ByteReader {
  fileprivate mutating func counted() -> UnsafeRawBufferPointer {
    bytes(Int(integer(UInt32.self)))
  }
}
