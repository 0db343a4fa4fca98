import ImageModel

/// Reads the responses of the Zhihu Daily API, in every known form: version 1.2 (2013, `news` with
/// `image`), versions 2 to 4 (`stories` with `images`), today's with `image_hue`, `hint` and `url`,
/// and those that a mirror wraps in `data`.
///
/// A field that cannot be read is left out; only a response that is not a day is an error.
enum ZhihuDailyDecoding {
  /// Reads the body of `news/latest` or `news/before/D`.
  ///
  /// - Throws: `ImageError`: `notJSON` when the bytes are not JSON, `notAFeed` when they are, but
  /// not a day.
  static func day(
    from bytes: [UInt8], orElse fallback: DayKey
  ) throws(ImageError) -> FeedDay {
    try list(from: bytes).day(orElse: fallback)
  }

  /// - Throws: `ImageError`: `notJSON`, or `notAFeed` when the JSON is not a story.
  static func story(from bytes: [UInt8]) throws(ImageError) -> ZhihuStoryPage {
    let json = unwrapped(try ParsedJSON(parsing: bytes), where: isStory)
    guard isStory(json) else { throw refusal(of: json, as: "story") }
    var warnings: [String] = []
    var story = ZhihuStoryDecoding(role: .story).story(json, position: 0, warnings: &warnings)
    if json["images"] == nil { story.images = [] }
    let source = json["image_source"]?.text
    return ZhihuStoryPage(
      story: story, header: json["image"]?.url, imageSource: source?.isEmpty == true ? nil : source,
      body: json["body"]?.text, warnings: warnings)
  }

  static func list(from bytes: [UInt8]) throws(ImageError) -> ZhihuDailyList {
    let json = unwrapped(try ParsedJSON(parsing: bytes), where: isList)
    guard isList(json) else { throw refusal(of: json, as: "day") }

    var list = ZhihuDailyList()
    if let named = json["date"] {
      list.date = named.identifier.flatMap { DayKey($0) }
      if list.date == nil { list.warnings.append("the date of the response cannot be read") }
    }
    let stories = json["stories"] ?? json["news"]
    if let stories, stories.elements == nil {
      list.warnings.append("the stories of the response are not a list")
    }
    list.stories = ZhihuStoryDecoding(role: .story)
      .stories(stories?.elements ?? [], warnings: &list.warnings)
    list.topStories = ZhihuStoryDecoding(role: .topStory)
      .stories(json["top_stories"]?.elements ?? [], warnings: &list.warnings)
    list.recordForeignPublicationDays()
    return list
  }

  private static func isStory(_ json: ParsedJSON) -> Bool {
    json["id"] != nil || json["body"] != nil
  }

  private static func isList(_ json: ParsedJSON) -> Bool {
    guard !isStory(json) else { return false }
    return ["stories", "news", "top_stories"].contains { json[$0] != nil }
      || json["date"]?.identifier.flatMap { DayKey($0) } != nil
  }

  /// Unwraps the `data` objects that mirrors add.
  private static func unwrapped(
    _ json: ParsedJSON, where isWanted: (ParsedJSON) -> Bool
  ) -> ParsedJSON {
    var inner = json
    for _ in 0..<3 {
      if isWanted(inner) { return inner }
      guard let next = inner["data"], next.isObject else { break }
      inner = next
    }
    return json
  }

  private static func refusal(of json: ParsedJSON, as wanted: String) -> ImageError {
    guard json.isObject else {
      return ImageError(
        .notAFeed, "the response is JSON but not an object, so it is not a \(wanted)")
    }
    if let message = (json["error_msg"] ?? json["message"] ?? json["error"]?["message"])?.text {
      return ImageError(.notAFeed, "the API says \(String(message.prefix(200)).debugDescription)")
    }
    if wanted == "day", json["id"] != nil {
      return ImageError(.notAFeed, "the response is a single story, not a day")
    }
    return ImageError(
      .notAFeed, "the response is JSON without a date or stories, so it is not a \(wanted)")
  }
}

struct ZhihuStoryPage: Sendable, Hashable {
  var story: FeedStory
  var header: String?
  /// The credit of the header.
  var imageSource: String?
  /// External articles have none.
  var body: String?
  var warnings: [String]
}

struct ZhihuDailyList: Sendable {
  var date: DayKey?
  var stories: [FeedStory] = []
  var topStories: [FeedStory] = []
  var warnings: [String] = []

  var isEmpty: Bool { stories.isEmpty && topStories.isEmpty }

  func day(orElse fallback: DayKey) -> FeedDay {
    FeedDay(day: date ?? fallback, stories: stories, topStories: topStories, warnings: warnings)
  }

  /// Adds the stories and top stories that another list of the same day has in addition.
  mutating func formUnion(_ other: ZhihuDailyList) {
    for list in [\ZhihuDailyList.stories, \.topStories] {
      let known = Set(self[keyPath: list].map(\.id))
      self[keyPath: list] += other[keyPath: list].filter { !known.contains($0.id) }
    }
    date = date ?? other.date
  }

  /// Warns of stories with the stamp of another day: some mirrors date a day one too late.
  mutating func recordForeignPublicationDays() {
    guard let date else { return }
    let stamp = date.description.suffix(4)
    let stamps = stories.compactMap { $0.publicationPrefix?.prefix(4) }
    guard let foreign = stamps.first(where: { $0 != stamp }), !stamps.contains(stamp) else {
      return
    }
    warnings.append("the answer is dated \(date) but its stories are stamped \(foreign)")
  }
}
