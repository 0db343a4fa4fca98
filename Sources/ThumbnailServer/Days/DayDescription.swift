import DiskCaching
import ImageFeeds
import ImageModel
import TextEncodings

/// A day as `/days/{day}` describes it, in snake case.
struct DayDescription: Codable {
  /// The addresses of a thumbnail for either density of the screen.
  struct Thumbnail: Sendable, Hashable, Codable {
    var single: String
    var double: String?
    var width: Int
    /// In points; 0 if it follows from the image.
    var height: Int

    enum CodingKeys: String, CodingKey {
      case single = "1x"
      case double = "2x"
      case width, height
    }

    /// The sizes that a reader of days needs: beside a title, large at the top, as wide as a page.
    static func all(of url: String, _ links: ImageLinks) -> [String: Thumbnail] {
      ["list": (75, 75), "hero": (375, 280), "page": (720, 0)].mapValues { width, height in
        Thumbnail(
          single: links.thumbnail(url, width: width, height: height),
          double: links.thumbnail(url, width: width, height: height, pixelRatio: 2),
          width: width, height: height)
      }
    }
  }

  struct Image: Codable {
    var url: String
    var cached: Bool
    var width: Int?
    var height: Int?
    var format: String?
    var bytes: Int?
    var dominantColor: String?
    var thumbHash: String?
    var image: String
    var thumbs: [String: Thumbnail]
  }

  struct Story: Codable {
    var id: String
    var title: String
    /// The label: the title, or for a blank one the host and name in its URL.
    var label: String
    /// The language of the title, as a tag; `nil` if unknown.
    var lang: String?
    var hint: String?
    /// The feed that named it.
    var feed: FeedReference?
    var url: String?
    var hue: String?
    /// Whether the feed declares several images, of which it may name one.
    var multipic: Bool
    /// The target of the story's page on this server, if its text is in the cache.
    var page: String?
    var images: [Image]
    /// Its day, and the target of that, in the result of a search.
    var day: String?
    var href: String?
  }

  var day: String
  var refreshedAt: String?
  var previous: String?
  var next: String?
  var stories: [Story]
  var topStories: [Story]
  var warnings: [String] = []
}

extension DayDescription.Image {
  init(_ image: FeedImage, _ record: CacheRecord?, _ links: ImageLinks) {
    self.init(
      url: image.url, cached: record?.isNegative == false, width: record?.size?.width,
      height: record?.size?.height, format: record?.format?.rawValue,
      bytes: record.flatMap { $0.isNegative ? nil : $0.byteCount },
      dominantColor: record?.dominantColor.map { "#" + Hex.encoded($0, digitCount: 6) },
      thumbHash: record.flatMap { $0.thumbHash.isEmpty ? nil : Base64.encoded($0.thumbHash) },
      image: links.image(image.url), thumbs: DayDescription.Thumbnail.all(of: image.url, links))
  }
}

extension DayDescription.Story {
  init(
    _ story: FeedStory, page: String?, _ records: [CacheKey: CacheRecord], _ links: ImageLinks
  ) {
    self.init(
      id: story.id, title: story.title, label: StoryLabel.text(of: story),
      lang: story.titleLanguage, hint: story.hint, feed: story.feed, url: story.link,
      hue: story.hue.map { "#\($0)" }, multipic: story.isMultipic, page: page,
      images: story.images.map { .init($0, records[.image(at: $0.url)], links) })
  }
}

extension DayDescription {
  init(
    _ day: FeedDay, refreshedAt: String?, between neighbours: (previous: DayKey?, next: DayKey?),
    cache: DiskCache, links: ImageLinks, page: (FeedStory) -> String?
  ) async {
    let records = await cache.records(for: day.images.map { .image(at: $0.url) })
    func story(_ story: FeedStory) -> Story { Story(story, page: page(story), records, links) }
    self.init(
      day: "\(day.day)", refreshedAt: refreshedAt,
      previous: neighbours.previous.map(links.day),
      next: neighbours.next.map(links.day), stories: day.stories.map(story),
      topStories: day.topStories.map(story), warnings: day.warnings)
  }
}

/// What `/days` lists, in snake case.
struct DayList: Encodable {
  /// The feeds of all days, also of those that are not listed.
  let feeds: [FeedReference]
  let days: [ListedDay]
}

/// A day as `/days` lists it, in snake case; with `brief=1` without what is counted.
struct ListedDay: Encodable {
  let day: String
  let href: String
  private(set) var stories: Int?
  private(set) var topStories: Int?
  private(set) var images: Int?
  private(set) var cached: Int?
  private(set) var missing: Int?
  private(set) var skipped: Int?
  private(set) var bytes: Int?
  private(set) var feeds: [FeedReference]?
  private(set) var refreshedAt: String?

  init(_ day: DayKey, _ links: ImageLinks) {
    self.day = "\(day)"
    href = links.day(day)
  }

  init(_ summary: DaySummary, _ links: ImageLinks) {
    self.init(summary.day, links)
    stories = summary.storyCount
    topStories = summary.topStoryCount
    images = summary.imageCount
    cached = summary.cachedImageCount
    missing = summary.missingImageCount
    skipped = summary.skippedImageCount
    bytes = summary.byteCount
    feeds = summary.feeds
    refreshedAt = summary.refreshedAt
  }
}
