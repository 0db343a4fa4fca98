import ImageFetching
import ImageModel
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// RSS, Atom, JSON Feed or a plain list of image URLs, distinguished by the content. A document that
/// names feeds is thrown as its ``FeedDirectory``.
///
/// Items are filed under the day on which they were published, undated ones under the day on which
/// they were first seen; what is filed stays, also if the time zone is another one later. ``days(_:policy:)`` with ``DayQuery/latest`` gives the whole
/// feed as it is now. Items that a feed drops later stay in their days as long as its documents are
/// kept. A day on which nothing was published, but which lies between the feed's oldest and newest
/// item, is empty and not an error.
struct SyndicationFeed: ImageFeed {
  private enum Source {
    case url(String, any DocumentLoading)
    /// A file or stdin that was read, or the kept items of one, and how to read it, if possible.
    case file(isKept: Bool, Reader?)
  }

  typealias Reader = @Sendable () throws -> (bytes: [UInt8], time: Date)

  private struct Pages: Sendable {
    private var byStory: [FeedStory: StoryPage?] = [:]
    /// Of two stories with one identifier the first one's.
    private var byID: [ExactString: StoryPage?] = [:]
    var count: Int { byStory.count }

    mutating func add(_ items: some Sequence<FeedItem>) {
      for item in items where !item.isListed {
        byStory.updateValue(item.page, forKey: item.story)
        if byID[ExactString(item.story.id)] == nil {
          byID.updateValue(item.page, forKey: ExactString(item.story.id))
        }
      }
    }

    /// The page of a story; an item may have none.
    subscript(story: FeedStory) -> StoryPage?? {
      var item = story
      item.feed = nil
      if let page = byStory[item] { return page }
      return byID[ExactString(story.id)]
    }
  }

  private struct Filed: Sendable {
    /// Those of a day in the feed's order.
    let byDay: [DayKey: [FeedItem]]
    let keys: Set<ExactString>
    private(set) var pages = Pages()

    init(_ items: [ItemArchive.Filed]) {
      byDay = Dictionary(grouping: items, by: \.day).mapValues { $0.map(\.item) }
      keys = Set(items.map(\.item.key))
      pages.add(items.lazy.map(\.item))
    }
  }

  private typealias Reading = (number: Int, contents: FeedContents)
  private typealias Loaded = (reading: Reading, source: LoadSource, time: Date)

  /// The most recently read data: days are requested one after the other, and a day's stories for
  /// their pages.
  private struct Memo {
    var last: (bytes: [UInt8], base: String, reading: Reading)?
    /// The last reading's items with their days, as of a day.
    var filed: (number: Int, today: DayKey, isKept: Bool, items: Filed)?
    /// What a feed that ``SyndicationFeed/isReadOnce`` has loaded.
    var loaded: Loaded?
    var archived = Pages()
    static let maximumPageCount = 10_000
  }

  private struct Current {
    var items = Filed([])
    var title: String?
    var warnings: [String] = []
    var source = LoadSource.disk
  }

  private let source: Source
  private let archive: ItemArchive?
  private let credentials: OriginCredentials
  private let memo = Locked(Memo())
  private let currentDay: @Sendable () -> DayKey
  private let zone: DayZone
  /// Whether the document is loaded once, for a feed of one run over many days.
  var isReadOnce = false

  let identity: String

  /// A user and password in the URL are sent to its origin with every request, where `documents`
  /// are those of a pipeline, and are not part of ``identity``.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for what is not an http(s) URL.
  init(
    url: String, documents: any DocumentLoading, zone: DayZone = .utcPlus8,
    today: @escaping @Sendable () -> DayKey
  ) throws(ImageError) {
    self.zone = zone
    credentials = documents.pipelineConfiguration?.fetcher.credentials ?? OriginCredentials()
    try Self.check(url)
    let url = credentials.extract(from: url)
    source = .url(url, documents)
    archive = ItemArchive(of: url, in: documents)
    identity = url
    currentDay = today
  }

  /// Creates a feed from the bytes of a file or of the standard input, `-`, which were read at a
  /// time (default: when the day began); `documents` keep the items.
  init(
    bytes: [UInt8], name: String, keptIn documents: (any DocumentLoading)? = nil,
    readAt time: Date? = nil, zone: DayZone = .utcPlus8, today: @escaping @Sendable () -> DayKey
  ) {
    let time = time ?? today().start
    self.init(file: name, isKept: false, documents: documents, zone: zone, today: today) {
      (bytes, time)
    }
  }

  static func check(_ url: String) throws(ImageError) {
    guard WebURL(url) == nil else { return }
    let url = WebURL.withoutUserinfo(url)
    throw ImageError(
      .invalidArgument, "\(url.debugDescription) is not an http(s) URL of a feed", url: url)
  }

  init(
    file name: String, isKept: Bool, documents: (any DocumentLoading)?,
    zone: DayZone = .utcPlus8, today: @escaping @Sendable () -> DayKey, reading: Reader?
  ) {
    source = .file(isKept: isKept, reading)
    self.zone = zone
    credentials = documents?.pipelineConfiguration?.fetcher.credentials ?? OriginCredentials()
    archive = documents.map { ItemArchive(of: name, in: $0) }
    identity = name
    currentDay = today
  }

  var today: DayKey { currentDay() }

  /// Of ``DayQuery/latest`` the newest day on which there are any.
  func day(_ query: DayQuery, policy: CachePolicy) async throws -> FeedDay {
    switch query {
    case .latest: try await days(query, policy: policy)[0]
    case .day(let day): try await self.day(day, policy)
    }
  }

  /// With ``DayQuery/latest`` all days that the feed has now.
  func days(_ query: DayQuery, policy: CachePolicy) async throws -> [FeedDay] {
    guard query == .latest else { return [try await day(query, policy: policy)] }
    let filed = try await filed(policy, keeps: policy != .onlyIfCached)
    let byDay = filed.items.byDay.isEmpty ? [today: []] : filed.items.byDay
    var days = byDay.sorted { $0.key > $1.key }.map {
      FeedDay(
        day: $0, items: $1, source: filed.source,
        of: FeedReference(title: filed.title, url: identity))
    }
    days[0].warnings = filed.warnings
    return days
  }

  func page(of story: FeedStory, policy: CachePolicy) async throws -> StoryPage? {
    if policy == .onlyIfCached {
      if let page = memo.withLock({ $0.archived[story] }) { return page }
      // Its items have none.
      if story.isList { return nil }
    }
    // The document of the story's day, which may be the one that is kept.
    return try await filed(policy, keeps: false, asks: false).items.pages[story] ?? nil
  }

  private var isKept: Bool? { if case .file(let isKept, _) = source { isKept } else { nil } }

  private func day(_ wanted: DayKey, _ policy: CachePolicy) async throws -> FeedDay {
    if policy == .onlyIfCached, isKept != false, let kept = try await archive?.items(of: wanted),
      !kept.isEmpty
    {
      // All that the feed ever had of the day; the feed itself need not be read.
      memo.withLock { memo in
        if memo.archived.count > Memo.maximumPageCount { memo.archived = Pages() }
        memo.archived.add(kept)
      }
      // The title is recorded with the day; see ``DayRecords``.
      return FeedDay(
        day: wanted, items: kept, source: .disk, of: FeedReference(title: nil, url: identity))
    }
    var current = Current()
    var failure: ImageError?
    do {
      current = try await filed(policy, keeps: policy != .onlyIfCached)
    } catch let error as ImageError where policy == .onlyIfCached || isKept == true {
      failure = error
    }
    var items = current.items.byDay[wanted] ?? []
    items +=
      try await archive?.items(of: wanted).filter { !current.items.keys.contains($0.key) } ?? []
    var day = FeedDay(
      day: wanted, items: items, source: current.source,
      of: FeedReference(title: current.title, url: identity))
    if day.stories.isEmpty {
      if let failure { throw failure }
      try checkReach(of: current, wanted, isKept: policy == .onlyIfCached)
    }
    day.warnings = current.warnings
    return day
  }

  /// - Parameter isKept: Whether the feed was not asked, and may have newer items.
  private func checkReach(
    of current: Current, _ wanted: DayKey, isKept: Bool
  ) throws(ImageError) {
    let days = current.items.byDay.keys
    guard let oldest = days.min(), let newest = days.max() else {
      throw ImageError(.dayNotFound, "feed \(identity) has nothing of \(wanted); it has no items")
    }
    guard oldest <= wanted, wanted <= (isKept ? newest : max(newest, today)) else {
      throw ImageError(
        .dayNotFound,
        "feed \(identity) has nothing of \(wanted); it reaches from \(oldest) to \(newest)")
    }
  }

  /// The feed's items as it is now, each with its day. `keeps`: whether they, and the days of those
  /// that were not seen before, are kept; `asks`: whether the feed is asked however fresh its
  /// document is.
  private func filed(
    _ policy: CachePolicy, keeps: Bool, asks: Bool = true
  ) async throws -> Current {
    let (reading, source, time) = try await contents(policy, asks: asks)
    let today = today
    var current = Current(
      title: reading.contents.title, warnings: reading.contents.warnings, source: source)
    if let known = memo.withLock({ $0.filed }), known.number == reading.number,
      known.today == today, known.isKept || !keeps
    {
      current.items = known.items
      return current
    }
    var filed = try await filed(reading.contents, on: today, at: time, keeps: keeps)
    if let archive {
      filed =
        keeps ? try await archive.keep(filed, at: time) : try await archive.identified(filed)
    }
    let items = Filed(filed)
    memo.withLock { $0.filed = (reading.number, today, keeps, items) }
    current.items = items
    return current
  }

  private func filed(
    _ contents: FeedContents, on today: DayKey, at time: Date, keeps: Bool
  ) async throws -> [ItemArchive.Filed] {
    guard contents.items.contains(where: { $0.day == nil }) else {
      return contents.items.map { ($0, $0.day ?? today) }
    }
    var items: [ItemArchive.Filed] = []
    var first = try await archive?.firstDays() ?? ItemArchive.FirstDays()
    var current: Set<ExactString> = []
    var isNew = false
    for item in contents.items {
      var day = item.day
      if day == nil {
        let key = item.undatedKey
        current.insert(key)
        isNew = isNew || first.days[key] == nil
        day = first.days[key, default: today]
        first.days[key] = day
      }
      items.append((item, day ?? today))
    }
    // Written again once a day, or it would be removed for its age while it is used.
    let isOld = first.time.map { time.timeIntervalSince($0) > 86_400 } ?? true
    if keeps, isNew || isOld { try await archive?.keep(first, current: current, at: time) }
    return items
  }

  private func contents(_ policy: CachePolicy, asks: Bool) async throws -> Loaded {
    if isReadOnce, let loaded = memo.withLock({ $0.loaded }) { return loaded }
    let document = try await load(policy, asks: asks)
    let reading: Reading
    do {
      reading = try self.reading(of: document)
    } catch {
      var failure = error.withMessage("cannot read feed \(identity): \(error.message)")
      if case .url(let url, _) = source { failure.url = url }
      throw failure
    }
    if let directory = reading.contents.directory { throw directory }
    let loaded = (reading, document.source, document.fetchedAt)
    if isReadOnce { memo.withLock { $0.loaded = loaded } }
    return loaded
  }

  private func reading(of document: Document) throws(ImageError) -> Reading {
    let bytes = credentials.extract(fromDocument: document.bytes)
    if let last = memo.withLock({ $0.last }), last.bytes.isSame(as: bytes),
      last.base == document.url
    {
      return last.reading
    }
    var contents = try FeedContents(
      reading: bytes, base: document.url, mediaType: document.mediaType, zone: zone)
    contents.items = FeedItem.distinct(contents.items)
    return memo.withLock { [contents] memo in
      let number = (memo.last?.reading.number ?? 0) + 1
      let reading = (number, contents)
      memo.last = (bytes, document.url, reading)
      return reading
    }
  }

  private func load(_ policy: CachePolicy, asks: Bool) async throws -> Document {
    switch source {
    case .file(_, let reading):
      guard let reading else {
        throw ImageError(.notCached, "feed \(identity) cannot be read again")
      }
      let (bytes, time) = try reading()
      return Document(url: "", bytes: bytes, source: .disk, fetchedAt: time)
    case .url(let url, let documents):
      var options = DocumentOptions(policy)
      if policy == .http { options.revalidates = asks }
      return try await documents.document(at: url, options: options)
    }
  }
}
