import ImageFeeds
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Which feeds, or which bases of Zhihu Daily, are meant.
///
/// It is kept with the cache for each day, so that `refresh`, `sheet` and `serve` can ask the same
/// origins again. A day has a row for each feed that gave it, `feed-of:20200616 FEED`, so that
/// processes that keep different feeds at the same time lose none. Versions before had one row a
/// day, without FEED; it is read all the same.
struct FeedChoice: Codable, Hashable, Sendable {
  /// Bases of Zhihu Daily in the order they are tried; empty for the public ones.
  var api: [String] = []
  /// URLs or files of other feeds; they replace Zhihu Daily.
  var feed: [String] = []
  /// The embedded sample days.
  var sample = false

  static let refreshPrefix = "refresh:"
  private static let dayPrefix = "feed-of:"

  init() {}

  /// All that several choices name, for what has to be open to ask them.
  init(merging choices: [FeedChoice]) {
    api = choices.flatMap(\.api)
    feed = choices.flatMap(\.feed)
    sample = choices.contains(where: \.sample)
  }

  /// The single feeds; bases of Zhihu Daily are alternatives and stay together.
  var sources: [FeedChoice] {
    guard !feed.isEmpty else { return [self] }
    return feed.map {
      var source = FeedChoice()
      source.feed = [$0]
      return source
    }
  }

  /// For people and for the record of refreshes.
  var description: String {
    sample
      ? "sample"
      : feed.isEmpty ? "zhihu " + api.joined(separator: " ") : feed.joined(separator: " ")
  }

  /// Whether bases of Zhihu Daily are meant.
  var isZhihu: Bool { feed.isEmpty && !sample }

  /// Whether its bytes were read from stdin, which cannot be read again.
  var isStdin: Bool { feed == ["-"] }

  // MARK: Days

  /// What is kept for a day: the feed, and since when.
  private struct Row: Codable {
    var source: FeedChoice
    var since: Double
  }

  /// The feeds that gave a day, the one kept first before the others.
  static func sources(of day: DayKey, in cache: DiskCache) -> [FeedChoice] {
    let rows = cache.states(withPrefix: dayPrefix + day.description)
    var found: [(source: FeedChoice, since: Double)] = []
    for (name, text) in rows.sorted(by: { $0.key < $1.key }) where self.day(of: name) == day {
      let row = row(text)
      found += (row?.source.sources ?? []).map { ($0, row?.since ?? 0) }
    }
    var seen: Set<FeedChoice> = []
    return found.enumerated()
      .sorted { ($0.element.since, $0.offset) < ($1.element.since, $1.offset) }
      .map(\.element.source).filter { seen.insert($0).inserted }
  }

  /// The days that anything is kept for, in no order.
  static func days(in cache: DiskCache) -> Set<DayKey> {
    Set(cache.states(withPrefix: dayPrefix).keys.compactMap(day(of:)))
  }

  /// The feeds of the newest day that anything is kept for; empty without such a day.
  static func newest(in cache: DiskCache) -> [FeedChoice] {
    days(in: cache).max().map { sources(of: $0, in: cache) } ?? []
  }

  /// All that was kept for any day, each once.
  static func all(in cache: DiskCache) -> Set<FeedChoice> {
    Set(Set(cache.states(withPrefix: dayPrefix).values).flatMap { row($0)?.source.sources ?? [] })
  }

  /// Keeps it for days, as one of their feeds.
  func keep(for days: some Sequence<DayKey>, at time: Date, in cache: DiskCache) throws(ImageError)
  {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    for source in sources {
      let row = Row(source: source, since: time.timeIntervalSince1970)
      guard let data = try? encoder.encode(row) else { continue }
      let names = Set(days.map { "\(Self.dayPrefix)\($0) \(source.description)" })
      // One query for many days.
      let known =
        names.count > 16
        ? Set(cache.states(withPrefix: Self.dayPrefix).keys)
        : names.filter { cache.state($0) != nil }
      var missing: [String: String?] = [:]
      for name in names.subtracting(known) {
        missing[name] = String(decoding: data, as: UTF8.self)
      }
      if !missing.isEmpty { try cache.setStates(missing) }
    }
  }

  /// Forgets which feeds gave a day, and the URLs that it named: for a day that was removed.
  static func forget(_ day: DayKey, in cache: DiskCache) throws(ImageError) {
    let rows = cache.states(withPrefix: dayPrefix + day.description).keys
      .filter { self.day(of: $0) == day }
    var none: [String: String?] = [:]
    for name in rows { none.updateValue(nil, forKey: name) }
    if !none.isEmpty { try cache.setStates(none) }
    try NamedURLs.forget([day], in: cache)
  }

  /// Forgets what was kept for any day: for a cache that was emptied.
  static func forgetAll(in cache: DiskCache) throws(ImageError) {
    var none: [String: String?] = [:]
    for name in cache.states(withPrefix: dayPrefix).keys { none.updateValue(nil, forKey: name) }
    if !none.isEmpty { try cache.setStates(none) }
    try NamedURLs.forget(nil, in: cache)
  }

  private static func day(of name: String) -> DayKey? {
    DayKey(String(name.dropFirst(dayPrefix.count).prefix { $0 != " " }))
  }

  private static func row(_ text: String) -> Row? {
    let (decoder, data) = (JSONDecoder(), Data(text.utf8))
    if let row = try? decoder.decode(Row.self, from: data) { return row }
    return (try? decoder.decode(FeedChoice.self, from: data)).map { Row(source: $0, since: 0) }
  }

  // MARK: Rows of older versions

  /// The feeds whose items were all filed under one day by versions before, with that day.
  static func unfiled(in cache: DiskCache) -> [(day: DayKey, source: FeedChoice)] {
    cache.states(withPrefix: dayPrefix)
      .filter { !$0.key.contains(" ") }
      .compactMap { name, text in day(of: name).map { ($0, text) } }
      .sorted { $0.0 < $1.0 }
      .flatMap { day, text in
        (row(text)?.source.sources ?? []).filter { !$0.feed.isEmpty }.map { (day, $0) }
      }
  }

  /// Replaces the row of an older version by those of its feeds.
  static func replaceRow(of day: DayKey, in cache: DiskCache) throws(ImageError) {
    let name = dayPrefix + day.description
    guard let old = cache.state(name).flatMap(row) else { return }
    try old.source.keep(for: [day], at: Date(timeIntervalSince1970: 0), in: cache)
    try cache.setState(nil, for: name)
  }

  // MARK: Refreshes

  /// Keeps when the feeds were last fetched completely.
  func noteRefresh(at time: Date, in cache: DiskCache) throws(ImageError) {
    for source in sources {
      try cache.setState(time.iso8601, for: Self.refreshPrefix + source.description)
    }
  }

  /// When the last of these feeds was fetched completely, and of bases of Zhihu Daily one, as ISO
  /// 8601; `nil` for never.
  static func lastRefresh(of sources: [FeedChoice], in cache: DiskCache) -> String? {
    func time(_ source: FeedChoice) -> String? { cache.state(refreshPrefix + source.description) }
    var times = sources.filter { !$0.isZhihu }.map(time)
    let bases = sources.filter(\.isZhihu).map(time)
    if !bases.isEmpty { times.append(bases.compactMap(\.self).max()) }
    guard times.allSatisfy({ $0 != nil }) else { return nil }
    return times.compactMap(\.self).min()
  }
}
