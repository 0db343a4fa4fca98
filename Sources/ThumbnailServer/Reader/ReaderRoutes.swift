import DiskCaching
import HTTPListening
import HTTPTypes
import ImageFeeds
import ImageModel

struct ReaderRoutes: Sendable {
  let assets: ReaderAssets
  let days: any DayProviding
  let rules: RulesInForce
  let cache: DiskCache
  let clock: @Sendable () -> Date
  private let texts = StoryTexts()

  func add(to routes: inout RouteTable) {
    routes.get("/") { request in try await page(request) }
    routes.get("/reader/{name}") { request in
      guard let asset = assets[request.step(1)] else { throw Problem.notFound }
      var answer = Answer.site(asset.bytes, type: asset.mediaType, for: request)
      // A worker answers no request above its own path unless this says so (Service Workers §6.1).
      if request.step(1) == "worker.js", let scope = HTTPField.Name("Service-Worker-Allowed") {
        answer.fields[scope] = rules.current.links.prefix + "/"
      }
      return answer
    }
    routes.get("/days/{day}/stories/{id}") { request in
      do {
        return try await story(request)
      } catch let problem as Problem
        where problem.status == .notFound && request.prefers("text/html", to: "application/json")
      {
        return try await page(request, without: .noStory)
      }
    }
  }

  /// The page at `/`, at `/days`, or at the path of a day. Where that is not in the cache, it is 404,
  /// says so, and has the newest day in its place.
  @Sendable func page(_ request: RoutedRequest) async throws -> Answer {
    try await page(request, without: nil)
  }

  /// - Parameter story: That the story which the address names is not there; `nil` for others.
  private func page(_ request: RoutedRequest, without story: ReaderText?) async throws -> Answer {
    let links = rules.current.links
    let feed = (try? QueryPairs(target: request.target))?["feed"]
    let days = days.of(feed: feed, in: cache)
    let feeds = await days.feeds()
    let name = story == nil ? request.step(1) : ""
    let chosen = DayKey(name)
    var first: DayDescription?
    // If the cache cannot be read now, the script's own requests fail; the page is sent all the
    // same.
    let known = (try? await days.keptDays()) ?? []
    if let day = try? await days.first(of: [chosen].compactMap(\.self) + known) {
      let paged = await days.pages(of: day)
      first = DayDescription(firstScreenOf: day, links: links) {
        paged.contains($0.id) ? links.storyPage($0.id, on: day.day) : nil
      }
    }
    let (language, isChosen) = PageLanguage.language(of: request)
    let isNewest = ["", "latest"].contains(name)
    let isThere = isNewest ? first != nil || feed == nil : chosen != nil && first?.day == name
    let absent = story ?? (isThere ? nil : .noDay)
    let isPast = request.steps == ["days"]
    let (zone, now) = (await days.zone(), clock())
    let page = ReaderPage(
      day: first, pastDays: isPast ? Array(known.prefix(ReaderPage.firstRowCount)) : nil,
      isDayChosen: !isNewest && isThere, absent: absent, base: links.prefix,
      today: zone.day(at: now), offset: zone.offset(at: now), language: language,
      isChosen: isChosen,
      feedCount: feeds.count, feed: feeds.first { $0.url == feed })
    var answer = Self.answer(page.html, request)
    if absent != nil { answer.status = .notFound }
    return answer
  }

  private func story(_ request: RoutedRequest) async throws -> Answer {
    guard let key = DayKey(request.step(1)), let day = try await days.day(key) else {
      throw Problem(.notFound, "day_not_found", "This day is not in the cache.")
    }
    // Other feeds may identify their stories by anything, often a URL.
    guard let id = QueryPairs.decoded(request.step(3)[...]),
      let story = (day.stories + day.topStories).first(where: { $0.id == id }),
      let page = try await days.page(of: story, on: key)
    else { throw Problem(.notFound, "story_not_found", "This story is not in the cache.") }
    let (language, isChosen) = PageLanguage.language(of: request)
    let links = rules.current.links
    let urls = try texts.imageURLs(of: page)
    let records = await cache.records(for: urls.map { .image(at: $0) })
    var targets: [ExactString: PageImage] = [:]
    for url in urls where !day.leftOut.contains(url) {
      targets[ExactString(url)] = Self.image(url, records[.image(at: url)], links)
    }
    let paged = await days.pages(of: day)
    let entry = ReaderStoryPage.Entry(of: story, in: day, paged: paged) { id in
      links.storyPage(id, on: key)
    }
    let html = ReaderStoryPage(
      page: page, entry: entry, today: await days.zone().day(at: clock()), language: language,
      isChosen: isChosen, base: links.prefix
    ).html(
      text: try texts.text(of: page, showing: targets),
      header: page.header.flatMap { targets[ExactString($0)] })
    return Self.answer(html, request)
  }

  /// The width of a story's column, in points.
  private static let columnWidth = 720
  /// Narrower images are shown as they are, wider ones as wide as the column.
  private static let minimumWideWidth = 300

  /// The targets of an image of a story, and the size it is shown at if its own is known.
  private static func image(
    _ url: String, _ record: CacheRecord?, _ links: ImageLinks
  ) -> PageImage {
    let size = record?.size
    let isAnimated = (record?.frameCount ?? 1) > 1
    var image = PageImage(
      source: isAnimated ? links.image(url) : links.thumbnail(url, width: columnWidth, height: 0))
    if !isAnimated {
      image.doubleSource = links.thumbnail(
        url, width: columnWidth, height: 0, pixelRatio: 2)
    }
    if let size, size.width > 0 {
      image.width = size.width < minimumWideWidth ? size.width : columnWidth
      image.height = max(1, size.height * image.width / size.width)
    }
    return image
  }

  private static func answer(_ html: String, _ request: RoutedRequest) -> Answer {
    var answer = Answer.site(Array(html.utf8), for: request)
    answer.fields[.vary] = request.path == "/" ? "Accept-Language" : "Accept, Accept-Language"
    return answer
  }
}

extension DayDescription {
  /// The first screen of a day, without what the cache knows of its images: its first stories and
  /// the first of its top stories, each with its first image.
  init(firstScreenOf day: FeedDay, links: ImageLinks, page: (FeedStory) -> String?) {
    func story(_ whole: FeedStory) -> Story {
      var story = whole
      story.images = Array(story.images.prefix(1))
      return Story(story, page: page(whole), [:], links)
    }
    self.init(
      day: "\(day.day)", stories: day.stories.prefix(ReaderPage.firstRowCount).map(story),
      topStories: day.topStories.prefix(1).map(story))
  }
}
