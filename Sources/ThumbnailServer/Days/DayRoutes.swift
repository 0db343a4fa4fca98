import DiskCaching
import HTTPListening
import HTTPTypes
import ImageFeeds
import ImageModel
import NIOCore
import TextEncodings

struct DayRoutes: Sendable {
  let days: any DayProviding
  let refreshes: DayRefreshes
  let rules: RulesInForce
  let cache: DiskCache
  let isOffline: Bool
  /// Answers a browser, which shows what it asks for.
  let page: @Sendable (RoutedRequest) async throws -> Answer
  private let lists = Locked<(summaries: [DaySummary], bytes: [UInt8]?)>(([], nil))

  func add(to routes: inout RouteTable) {
    routes.get("/days") { request in
      try await negotiated(request) { try await list(request) }
    }
    routes.get("/days/{day}") { request in
      try await negotiated(request) { try await day(Self.query(request.step(1)), request) }
    }
    routes.get("/days/{day}/events") { request in try events(request.step(1)) }
    routes.post("/days/{day}/refresh") { request in try refresh(request.step(1), request) }
  }

  /// The page where the client prefers that to JSON.
  private func negotiated(
    _ request: RoutedRequest, _ json: () async throws -> Answer
  ) async throws -> Answer {
    if request.prefers("text/html", to: "application/json") { return try await page(request) }
    var answer: Answer
    do { answer = try await json() } catch let problem as Problem { answer = problem.answer }
    answer.fields[.vary] = "Accept"
    return answer
  }

  private func list(_ request: RoutedRequest) async throws -> Answer {
    let query = try QueryPairs(target: request.target)
    // An invalid value is one also where it has no effect.
    let limit = try DaySearch.limit(query["limit"])
    let isBrief = try Self.isBrief(query)
    let feed = try Self.feed(query)
    let days = days.of(feed: feed, in: cache)
    if let text = query["q"] {
      return try await search(try DaySearch(text, limit: limit), ofFeed: feed, request)
    }
    let links = rules.current.links
    if isBrief {
      let listed = try await days.keptDays().map { ListedDay($0, links) }
      return try json(["days": listed], request)
    }
    let month = try Self.month(query)
    let summaries = try await days.summaries()
    let isWhole = month == nil && feed == nil
    // Written once for each change.
    if isWhole, let bytes = lists.withLock({ $0.summaries == summaries ? $0.bytes : nil }) {
      return Answer.page(bytes, type: "application/json", for: request)
    }
    let wanted = summaries.filter { "\($0.day)".hasPrefix(month ?? "") }
    let list = DayList(feeds: await days.feeds(), days: wanted.map { ListedDay($0, links) })
    let bytes = try JSONText.encoded(list, inSnakeCase: true)
    if isWhole { lists.withLock { $0 = (summaries, bytes) } }
    return Answer.page(bytes, type: "application/json", for: request)
  }

  /// The address of the feed that the query selects; `nil` for all.
  private static func feed(_ query: QueryPairs) throws(Problem) -> String? {
    let feed = query["feed"]
    guard feed?.isEmpty != true else {
      throw Problem.badParameter("feed", "The value of the parameter feed is empty.")
    }
    return feed
  }

  private static func isBrief(_ query: QueryPairs) throws(Problem) -> Bool {
    switch query["brief"] {
    case "1": return true
    case nil, "0": return false
    default:
      throw Problem.badParameter(
        "brief", "The value of the parameter brief is neither 0 nor 1.")
    }
  }

  /// - Parameter feed: The address of the feed whose stories are searched; `nil` for all.
  private func search(
    _ search: DaySearch, ofFeed feed: String?, _ request: RoutedRequest
  ) async throws -> Answer {
    let found = try await days.stories(matching: search.text, ofFeed: feed, limit: search.limit)
    let links = rules.current.links
    var stories: [DayDescription.Story] = []
    for match in found.matches {
      let (story, day) = (match.story, match.day)
      let records = await cache.records(for: story.images.map { .image(at: $0.url) })
      let page = match.hasPage ? links.storyPage(story.id, on: day) : nil
      var described = DayDescription.Story(story, page: page, records, links)
      (described.day, described.href) = ("\(day)", links.day(day))
      stories.append(described)
    }
    return try json(DaySearchResult(complete: found.isComplete, stories: stories), request)
  }

  private func day(_ query: DayQuery, _ request: RoutedRequest) async throws -> Answer {
    let feed = try Self.feed(QueryPairs(target: request.target))
    let days = days.of(feed: feed, in: cache)
    let known = try await days.keptDays()
    let found: FeedDay?
    switch query {
    case .latest: found = try await days.first(of: known)
    case .day(let key): found = try await days.day(key)
    }
    guard let day = found else {
      let detail = feed == nil ? "This day" : "This day of this feed"
      throw Problem(.notFound, "day_not_found", "\(detail) is not in the cache.")
    }
    let previous = try await days.first(of: known.filter { $0 < day.day })?.day
    let next = try await days.first(of: known.filter { $0 > day.day }.reversed())?.day
    let refreshed = await days.lastRefresh(of: day.day)
    let paged = await days.pages(of: day)
    let links = rules.current.links
    let description = await DayDescription(
      day, refreshedAt: refreshed, between: (previous, next), cache: cache, links: links,
      page: { paged.contains($0.id) ? links.storyPage($0.id, on: day.day) : nil })
    return try json(description, request)
  }

  private func refresh(_ name: String, _ request: RoutedRequest) throws(Problem) -> Answer {
    try request.checkOrigin()
    let query = try Self.query(name)
    guard !isOffline else {
      throw Problem(.forbidden, "offline", "This server is offline and does not refresh days.")
    }
    try refreshes.start(query, named: name)
    let events = "\(rules.current.links.prefix)/days/\(name)/events"
    let body: JSONLine = ["events": events]
    var answer = Answer.text("\(body)\n", type: "application/json", status: .accepted)
    answer.fields[.location] = events
    return answer
  }

  private func events(_ name: String) throws(Problem) -> Answer {
    _ = try Self.query(name)
    guard let events = refreshes.events(named: name) else {
      throw Problem(.notFound, "no_refresh", "No refresh of this day was started.")
    }
    return Answer(
      fields: [.contentType: "text/event-stream", .cacheControl: "no-store"],
      body: .stream { write in
        let client = ConnectionPresence.current
        let listener = client?.listen { events.end() }
        defer { if let listener { client?.forget(listener) } }
        for await event in events.stream {
          try await write(ByteBuffer(string: event.text))
        }
      })
  }

  private func json(_ value: some Encodable, _ request: RoutedRequest) throws -> Answer {
    Answer.page(
      try JSONText.encoded(value, inSnakeCase: true), type: "application/json", for: request)
  }

  /// The month that `month=YYYYMM` selects; `nil` for all of them.
  private static func month(_ query: QueryPairs) throws(Problem) -> String? {
    guard let month = query["month"] else { return nil }
    guard month.utf8.count == 6, DayKey(month + "01") != nil else {
      throw Problem.badParameter("month", "The value of the parameter month is not YYYYMM.")
    }
    return month
  }

  private static func query(_ name: String) throws(Problem) -> DayQuery {
    if name == "latest" { return .latest }
    guard let day = DayKey(name), name.utf8.count == 8 else {
      throw Problem(.badRequest, "bad_day", "A day is written YYYYMMDD, or latest.")
    }
    return .day(day)
  }
}
