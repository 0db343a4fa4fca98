import ImageModel
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All items of a feed, by the day they are filed under, including those that the feed has dropped.
///
/// One document a month, `FEED#items-202006`, and one with the days on which undated items were
/// first seen, `FEED#first-seen`.
final class ItemArchive: Sendable {
  /// A month that was read, for days that are requested one after the other.
  private struct Month: Sendable {
    let name: String
    let bytes: [UInt8]
    let items: [DayKey: [FeedItem]]
  }

  private let documents: any DocumentLoading
  private let identity: String
  /// Neighbours: a list of days goes from one month to the next.
  private let months = Locked<[Month]>([])
  private static let maximumMonthCount = 2

  init(of identity: String, in documents: any DocumentLoading) {
    self.identity = identity
    self.documents = documents
  }

  // MARK: Items

  /// The items filed under a day that were kept.
  func items(of day: DayKey) async throws -> [FeedItem] {
    let name = name(of: day)
    guard let kept = try await documents.keptDocument(named: name) else { return [] }
    if let month = months.withLock({ $0.first { $0.name == name } }),
      month.bytes.isSame(as: kept.bytes)
    {
      return month.items[day] ?? []
    }
    var items: [DayKey: [FeedItem]] = [:]
    for row in Self.rows(in: kept.bytes) {
      if let day = DayKey(row.day) { items[day, default: []].append(row.item) }
    }
    let month = Month(name: name, bytes: kept.bytes, items: items)
    months.withLock { months in
      months.removeAll { $0.name == name }
      if months.count >= Self.maximumMonthCount { months.removeFirst() }
      months.append(month)
    }
    return items[day] ?? []
  }

  /// Keeps items, each with its day, beside those kept before; an item that is kept already is
  /// replaced.
  func keep(_ filed: [(item: FeedItem, day: DayKey)], at time: Date) async throws {
    for (name, filed) in Dictionary(grouping: filed, by: { name(of: $0.day) }) {
      let kept = try await documents.keptDocument(named: name)
      let text = Self.text(of: filed.map { Row($0.item, on: $0.day) })
      if kept?.bytes == text { continue }
      let keys = Set(filed.map(\.item.key))
      let older = Self.rows(in: kept?.bytes ?? []).filter { !keys.contains(ExactString($0.key)) }
      let whole =
        older.isEmpty ? text : Self.text(of: filed.map { Row($0.item, on: $0.day) } + older)
      if kept?.bytes == whole { continue }
      try await keep(whole, as: name, at: time)
    }
  }

  // MARK: Undated items

  /// The days on which undated items were first seen.
  struct FirstDays: Sendable {
    var days: [ExactString: DayKey] = [:]
    /// When that was kept; `nil` for never.
    var time: Date?
  }

  /// More keys than this are not kept of items that the feed has dropped.
  private static let maximumKeyCount = 200_000

  func firstDays() async throws -> FirstDays {
    guard let kept = try await documents.keptDocument(named: identity + "#first-seen"),
      let keys = try? JSONDecoder().decode([String: [String]].self, from: Data(kept.bytes))
    else { return FirstDays() }
    var first = FirstDays(time: kept.fetchedAt)
    for (day, keys) in keys.sorted(by: { $0.key > $1.key }) {
      guard let day = DayKey(day) else { continue }
      // Of two days the earlier one comes last and stays.
      for key in keys { first.days[ExactString(key)] = day }
    }
    return first
  }

  /// Keeps them.
  ///
  /// - Parameter current: The keys of the items that the feed has now; these are always kept.
  func keep(_ first: FirstDays, current: Set<ExactString>, at time: Date) async throws {
    var days = first.days
    if days.count > Self.maximumKeyCount { days = days.filter { current.contains($0.key) } }
    let keys = Dictionary(grouping: days.keys) { days[$0]?.description ?? "" }
    let bytes = try JSONText.encoded(keys.mapValues { $0.map(\.text).sorted() })
    try await keep(bytes, as: identity + "#first-seen", at: time)
  }

  // MARK: Documents

  private func name(of day: DayKey) -> String { "\(identity)#items-\(day.description.prefix(6))" }

  private func keep(_ bytes: [UInt8], as name: String, at time: Date) async throws {
    try await documents.keep(
      Document(
        url: name, bytes: bytes, mediaType: "application/json", source: .network, fetchedAt: time),
      as: name)
  }

  /// An item as it is kept; what is absent or empty is left out.
  private struct Row: Decodable {
    struct Image: Decodable {
      var url: String
      var role: FeedImage.Role
      var index: Int
    }

    var day: String
    var key: String
    var id: String
    var title: String?
    var url: String?
    var hint: String?
    var hue: String?
    var images: [Image]?
    var base: String?
    var html: String?

    init(_ item: FeedItem, on day: DayKey) {
      self.day = day.description
      key = item.key.text
      id = item.story.id
      title = item.story.title.isEmpty ? nil : item.story.title
      url = item.story.link
      hint = item.story.hint
      hue = item.story.hue
      let named = item.story.images.map { Image(url: $0.url, role: $0.role, index: $0.index) }
      images = named.isEmpty ? nil : named
      base = item.page?.url
      html = item.page?.html
    }

    var json: JSONLine {
      [
        "base": base, "day": day, "hint": hint, "html": html, "hue": hue, "id": id,
        "images": images?.map {
          ["index": $0.index, "role": $0.role.rawValue, "url": $0.url] as JSONLine
        },
        "key": key, "title": title, "url": url,
      ]
    }

    var item: FeedItem {
      var story = FeedStory(id: id, title: title ?? "")
      story.url = url
      story.hint = hint
      story.hue = hue
      story.images = (images ?? []).map {
        FeedImage(url: $0.url, role: $0.role, storyID: id, index: $0.index)
      }
      var item = FeedItem(story: story, day: DayKey(day))
      item.page = html.map { StoryPage(title: story.title, url: base ?? "", html: $0) }
      return item
    }
  }

  /// A row a line, in order, so that equal items give equal bytes.
  private static func text(of rows: [Row]) -> [UInt8] {
    rows.flatMap { Array($0.json.description.utf8) + [0x0A] }
  }

  /// The rows that can be read; a damaged line costs no other.
  private static func rows(in bytes: [UInt8]) -> [Row] {
    let decoder = JSONDecoder()
    return bytes.split(separator: 0x0A).compactMap {
      try? decoder.decode(Row.self, from: Data($0))
    }
  }
}
