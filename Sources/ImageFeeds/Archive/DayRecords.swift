public import DiskCaching
public import ImageModel
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// The records of days in a cache: their images, feeds and URLs, and when each feed was last
/// fetched completely.
///
/// All of it is small values of the `DiskCache`. A day has a row for each feed that gave it,
/// `feed-of:20200616 FEED`, so that processes that record different feeds at the same time lose
/// none.
public struct DayRecords: Sendable {
  let cache: DiskCache

  static let refreshPrefix = "refresh:"
  private static let dayPrefix = "feed-of:"
  private static let titlePrefix = "feed-title:"

  /// The records of a cache.
  public init(in cache: DiskCache) { self.cache = cache }

  // MARK: Images

  /// The days that have entries in the cache, newest first. The entries may be nothing but
  /// remembered failures; see ``imageCount(of:limit:)``.
  public var imageDays: [DayKey] {
    get async { await cache.groups().compactMap(DayKey.init(group:)).sorted(by: >) }
  }

  /// The number of images of a day in the cache, counted up to a limit. Default: all.
  public func imageCount(of day: DayKey, limit: Int = .max) async -> Int {
    var count = 0
    let images = cache.entries(matching: EntrySelection(group: day.group, kind: .original))
    for await image in images where !image.isNegative {
      count += 1
      if count >= limit { break }
    }
    return count
  }

  /// Removes the images of a day that are in no other day, and what is recorded about it.
  ///
  /// - Returns: The number of entries removed.
  public func remove(_ day: DayKey) async throws(ImageError) -> Int {
    let count = try await cache.removeGroup(day.group)
    try await clear(withPrefix: "\(Self.dayPrefix)\(day) ")
    try await clear(withPrefix: "\(DayGaps.prefix)\(day)")
    try await NamedURLs.forget([day], in: cache)
    try await DayExtracts.forget(day, in: cache)
    return count
  }

  /// Removes every entry of the cache, and what is recorded about days.
  ///
  /// - Returns: The number of entries removed.
  public func removeAll() async throws(ImageError) -> Int {
    let count = try await cache.purgeAll()
    try await clear(withPrefix: Self.dayPrefix)
    for prefix in [Self.titlePrefix, DayGaps.prefix] { try await clear(withPrefix: prefix) }
    try await NamedURLs.forget(nil, in: cache)
    return count
  }

  private func clear(withPrefix prefix: String) async throws(ImageError) {
    let none = await cache.states(withPrefix: prefix).mapValues { _ in String?.none }
    if !none.isEmpty { try await cache.setStates(none) }
  }

  // MARK: Feeds

  private struct Row: Codable {
    var source: FeedSource.Stored
    var since: Double

    static func read(_ text: String) -> Row? {
      try? JSONDecoder().decode(Row.self, from: Data(text.utf8))
    }
  }

  /// The days that any feed gave.
  public var days: Set<DayKey> {
    get async { Set(await cache.states(withPrefix: Self.dayPrefix).keys.compactMap(Self.day)) }
  }

  /// The feeds of all days.
  public var sources: Set<FeedSource> {
    get async {
      let rows = Set(await cache.states(withPrefix: Self.dayPrefix).values)
      return Set(rows.compactMap { Row.read($0)?.source.kept })
    }
  }

  /// The feeds of a day, in the order in which they were recorded.
  public func sources(of day: DayKey) async -> [FeedSource] {
    Self.sources(in: await cache.states(withPrefix: "\(Self.dayPrefix)\(day) "))
  }

  /// What is recorded of all days and feeds, read at once.
  struct All: Sendable {
    /// The rows of the feeds of each day.
    var rows: [DayKey: [String: String]] = [:]
    var refreshTimes: [String: String] = [:]
    var titles: [String: String] = [:]
    var gaps: [DayKey: DayGaps] = [:]
  }

  var all: All {
    get async {
      var all = All()
      for (name, text) in await cache.states(withPrefix: "") {
        if let day = Self.day(of: name) {
          all.rows[day, default: [:]][name] = text
        } else if name.hasPrefix(Self.titlePrefix) {
          all.titles[String(name.dropFirst(Self.titlePrefix.count))] = text
        } else if name.hasPrefix(Self.refreshPrefix) {
          all.refreshTimes[String(name.dropFirst(Self.refreshPrefix.count))] = text
        } else if name.hasPrefix(DayGaps.prefix),
          let day = DayKey(name.dropFirst(DayGaps.prefix.count)), let gaps = DayGaps(row: text)
        {
          all.gaps[day] = gaps
        }
      }
      return all
    }
  }

  static func sources(in rows: [String: String]) -> [FeedSource] {
    let found = rows.compactMap { name, text in Row.read(text).map { (name: name, row: $0) } }
    var seen: Set<FeedSource> = []
    return found.sorted { ($0.row.since, $0.name) < ($1.row.since, $1.name) }
      .map(\.row.source.kept).filter { seen.insert($0).inserted }
  }

  /// The time zone of the feeds of the newest day: a given one if none of them is Zhihu Daily, else
  /// UTC+8.
  public func zone(ofItems zone: DayZone) async -> DayZone {
    let sources =
      if let newest = await days.max() { await sources(of: newest) } else { [FeedSource]() }
    let isOfItems = !sources.isEmpty && sources.allSatisfy { $0.zone(orOfItems: zone) == zone }
    return isOfItems ? zone : .utcPlus8
  }

  /// The feeds that ``DayArchive`` fetches for some days; `zone` is its
  /// ``DayArchive/timeZone``.
  public func sources(
    of feeds: DayArchive.Feeds, for days: [DayRequest], in zone: DayZone = .utcPlus8
  ) async -> [FeedSource] {
    await requests(days, of: feeds, zone).map(\.source)
  }

  func requests(
    _ days: [DayRequest], of feeds: DayArchive.Feeds, _ zone: DayZone
  ) async -> [(source: FeedSource, days: [DayRequest])] {
    let others: [FeedSource]
    switch feeds {
    case .named(let sources): return sources.map { ($0, days) }
    case .remembered(let otherwise): others = otherwise
    }
    let now = cache.configuration.clock()
    func queries(_ zone: DayZone) -> [DayQuery] {
      (days.isEmpty ? [.latest] : days).flatMap { $0.queries(today: zone.day(at: now)) }
    }
    var found: [(source: FeedSource, days: [DayRequest])] = []
    // As many of either zone: they differ in what today is.
    for (query, ofItems) in zip(queries(.utcPlus8), queries(zone)) {
      var sources: [FeedSource] = []
      var newest: DayKey?
      switch query {
      case .day(let day): sources = await self.sources(of: day)
      case .latest:
        newest = await self.days.max()
        if others == [.zhihuDaily], let newest { sources = await self.sources(of: newest) }
      }
      if query != ofItems, case .day(let day) = ofItems {
        sources = sources.filter { $0.zone(orOfItems: zone) == .utcPlus8 }
        sources += await self.sources(of: day).filter { $0.zone(orOfItems: zone) != .utcPlus8 }
      }
      for source in sources.isEmpty ? others : sources {
        let query = source.zone(orOfItems: zone) == .utcPlus8 ? query : ofItems
        var day = DayRequest(query)
        // The standard input has no newest day but the one that is kept.
        if let newest, source.isStandardInput { day = .day(newest) }
        if let index = found.firstIndex(where: { $0.source == source }) {
          found[index].days.append(day)
        } else {
          found.append((source, [day]))
        }
      }
    }
    return found
  }

  /// Feeds with their titles; of bases of Zhihu Daily the first, since they are alternatives.
  static func references(
    of sources: [FeedSource], _ titles: [String: String]
  ) -> [FeedReference] {
    let base = sources.first(where: \.isZhihuDaily)
    return sources.filter { !$0.isZhihuDaily || $0 == base }.map { $0.reference(titles) }
  }

  /// Feeds with their titles as they last were; of bases of Zhihu Daily the first.
  public func references(of sources: [FeedSource]) async -> [FeedReference] {
    Self.references(of: sources, await titles(of: sources))
  }

  /// The titles of some feeds as they last were, by the feeds' descriptions.
  func titles(of sources: some Sequence<FeedSource>) async -> [String: String] {
    var titles: [String: String] = [:]
    for source in sources {
      titles[source.description] = await cache.state(Self.titlePrefix + source.description)
    }
    return titles
  }

  /// The values whose names begin with `prefix`, by the rest of their names.
  func states(withPrefix prefix: String) async -> [String: String] {
    let states = await cache.states(withPrefix: prefix)
    return Dictionary(uniqueKeysWithValues: states.map { ($0.dropFirst(prefix.count) + "", $1) })
  }

  /// Records that a feed gave some days, and its title if it has one.
  func add(
    _ source: FeedSource, titled title: String? = nil, for days: some Sequence<DayKey>,
    at time: Date
  ) async throws(ImageError) {
    let row = Row(source: FeedSource.Stored(source), since: time.timeIntervalSince1970)
    guard let text = try? JSONText.encoded(row) else { return }
    let names = Set(days.map { "\(Self.dayPrefix)\($0) \(source.description)" })
    var known: Set<String> = []
    // One query for many days.
    if names.count > 16 {
      known.formUnion(await cache.states(withPrefix: Self.dayPrefix).keys)
    } else {
      for name in names where await cache.state(name) != nil { known.insert(name) }
    }
    var missing: [String: String?] = [:]
    for name in names.subtracting(known) { missing[name] = String(decoding: text, as: UTF8.self) }
    let titleName = Self.titlePrefix + source.description
    if let title, await cache.state(titleName) != title { missing[titleName] = title }
    if !missing.isEmpty { try await cache.setStates(missing) }
  }

  private static func day(of name: String) -> DayKey? {
    guard name.hasPrefix(dayPrefix) else { return nil }
    return DayKey(name.dropFirst(dayPrefix.count).prefix { $0 != " " })
  }

  // MARK: Refreshes

  /// When each feed was last fetched completely, as ISO 8601, by the feeds' descriptions.
  public var refreshTimes: [String: String] {
    get async { await states(withPrefix: Self.refreshPrefix) }
  }

  /// When the last of some feeds was fetched completely, as ISO 8601; `nil` for never. Of bases of
  /// Zhihu Daily one counts, since they are alternatives.
  public func lastRefresh(of sources: [FeedSource]) async -> String? {
    Self.lastRefresh(of: sources, in: await refreshTimes)
  }

  static func lastRefresh(of sources: [FeedSource], in known: [String: String]) -> String? {
    func time(_ source: FeedSource) -> String? { known[source.description] }
    var times = sources.filter { !$0.isZhihuDaily }.map(time)
    let bases = sources.filter(\.isZhihuDaily).map(time)
    if !bases.isEmpty { times.append(bases.compactMap(\.self).max()) }
    guard times.allSatisfy({ $0 != nil }) else { return nil }
    return times.compactMap(\.self).min()
  }

  func recordRefresh(of source: FeedSource, at time: Date) async throws(ImageError) {
    try await cache.setStates([
      Self.refreshPrefix + source.description: time.formatted(.iso8601)
    ])
  }
}

extension DayKey {
  /// The group of the cache entries that are this day's images: `day:20200616`.
  public var group: String { "day:\(self)" }

  /// The day of such a group; `nil` for other groups.
  public init?(group: String) {
    guard group.hasPrefix("day:") else { return nil }
    self.init(String(group.dropFirst(4)))
  }
}
