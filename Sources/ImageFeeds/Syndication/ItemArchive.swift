import DiskCaching
import ImageModel
import ImagePipeline
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

protocol PipelineDocuments: DocumentLoading {
  var pipeline: ImagePipeline { get }
  /// Shared by the feeds that these documents are of; `nil` where each has its own.
  var months: ItemMonths? { get }
}

extension ImagePipeline: PipelineDocuments {
  var pipeline: ImagePipeline { self }
  var months: ItemMonths? { nil }
}

extension DocumentLoading {
  /// That of the pipeline, if they are its documents.
  var pipelineConfiguration: ImagePipeline.Configuration? {
    (self as? any PipelineDocuments)?.pipeline.configuration
  }
}

/// All items of a feed, by the day they are filed under, including those that the feed has dropped.
///
/// One document a month, `FEED#items-202006`, and one with the days on which undated items were
/// first seen, `FEED#first-seen`.
final class ItemArchive: Sendable {
  private let documents: any DocumentLoading
  private let identity: String
  private let months: ItemMonths

  init(of identity: String, in documents: any DocumentLoading) {
    self.identity = identity
    self.documents = documents
    months = (documents as? any PipelineDocuments)?.months ?? ItemMonths()
  }

  // MARK: Items

  func items(of day: DayKey) async throws -> [FeedItem] {
    let name = name(of: day)
    let store = documents.pipelineConfiguration?.diskCache?.core
    let known = months[name]
    // The days of a month are read one after the other: its document is read once.
    if let known, let store, known.revisions?.hold(in: store) ?? false {
      DayInputs.current?.record(.document(url: name))
      return known.items(of: day)
    }
    let revisions = store.map { store in
      var revisions = EntryRevisions()
      revisions.record(.document(url: name), in: store)
      return revisions
    }
    guard let kept = try await documents.keptDocument(named: name) else { return [] }
    return read(kept.bytes, of: name, revisions).items(of: day)
  }

  /// The month in a document, which is decoded if it is not the last one of its name.
  private func read(
    _ bytes: [UInt8], of name: String, _ revisions: EntryRevisions? = nil
  ) -> ItemMonths.Month {
    guard var month = months[name], month.bytes.isSame(as: bytes) else {
      return record(Self.filed(in: bytes), of: name, bytes, revisions)
    }
    month.revisions = revisions
    months.record(month)
    return month
  }

  @discardableResult
  private func record(
    _ filed: [Filed], of name: String, _ bytes: [UInt8], _ revisions: EntryRevisions? = nil
  ) -> ItemMonths.Month {
    let month = ItemMonths.Month(name: name, bytes: bytes, filed: filed, revisions: revisions)
    months.record(month)
    return month
  }

  typealias Filed = (item: FeedItem, day: DayKey)

  /// Gives items the identifiers under which they were kept, and new ones a free one.
  func identified(_ filed: [Filed]) async throws -> [Filed] {
    var all: [Filed] = []
    for (name, filed) in byMonth(try await settled(filed)) {
      let kept = try await documents.keptDocument(named: name)
      all += merged(filed, with: kept.map { read($0.bytes, of: name).filed } ?? []).items
    }
    return all
  }

  /// Keeps items, each with its day, beside those kept before, which are replaced by equal ones;
  /// returns them with the identifiers under which they are kept.
  @discardableResult
  func keep(_ filed: [Filed], at time: Date) async throws -> [Filed] {
    var all: [Filed] = []
    for (name, filed) in byMonth(try await settled(filed)) {
      all += try await alone {
        let kept = try await documents.keptDocument(named: name)
        let own = Self.text(of: filed)
        // Nothing has changed where they are kept as they are, with older ones behind them.
        if let kept, kept.bytes.starts(with: own) {
          if kept.bytes.count == own.count { record(filed, of: name, own) }
          return filed
        }
        let (items, older) = merged(
          filed, with: kept.map { read($0.bytes, of: name).filed } ?? [])
        let text = Self.text(of: items) + Self.text(of: older)
        if kept.map({ !$0.bytes.isSame(as: text) }) ?? true {
          try await keep(text, as: name, at: time)
        }
        record(items + older, of: name, text)
        return items
      }
    }
    return all
  }

  /// Items at either end of a month, which may be filed in the one beside it since the time zone was
  /// another one, with the day under which they are filed.
  private func settled(_ filed: [Filed]) async throws -> [Filed] {
    var filed = filed
    var months: [String: (bytes: [UInt8], moments: Set<Int>)] = [:]
    for (index, (item, day)) in filed.enumerated() {
      for beside in [day.previous, day.next] where name(of: beside) != name(of: day) {
        guard let published = item.published else { continue }
        let name = name(of: beside)
        if months[name] == nil {
          let bytes = try await documents.keptDocument(named: name)?.bytes ?? []
          months[name] = (bytes, Self.moments(in: bytes))
        }
        guard let month = months[name], month.moments.contains(published) else { continue }
        let others = read(month.bytes, of: name).filed.filter { $0.day == beside }
        if let match = FeedItem.matches(of: [item], in: others.map(\.item))[0],
          others[match].item.published == published
        {
          filed[index].day = beside
        }
      }
    }
    return filed
  }

  /// The moments of publication in a document, which is not parsed for it: few have one in question.
  private static func moments(in bytes: [UInt8]) -> Set<Int> {
    let mark = Array("\"date\":".utf8)
    var moments: Set<Int> = []
    for index in bytes.indices
    where bytes[index] == mark[0] && bytes[index...].starts(with: mark) {
      let digits = bytes[(index + mark.count)...].prefix { $0 == 0x2D || (48...57).contains($0) }
      if let moment = Int(String(decoding: digits, as: UTF8.self)) { moments.insert(moment) }
    }
    return moments
  }

  private func byMonth(_ filed: [Filed]) -> [(name: String, filed: [Filed])] {
    let months = Dictionary(grouping: filed) { name(of: $0.day) }
    var seen: Set<String> = []
    return filed.map { name(of: $0.day) }.filter { seen.insert($0).inserted }
      .map { ($0, months[$0] ?? []) }
  }

  /// The items of a month with their identifiers, and those kept before that are others.
  private func merged(
    _ filed: [Filed], with before: [Filed]
  ) -> (items: [Filed], older: [Filed]) {
    let kept = before.map(\.item)
    let matches = FeedItem.matches(of: filed.map(\.item), in: kept)
    let replaced = Set(matches.compactMap(\.self))
    var taken = Set(kept.indices.filter { !replaced.contains($0) }.map { kept[$0].story.id })
    var items = filed
    for (index, match) in matches.enumerated() {
      guard let match else { continue }
      items[index].item.rename(to: kept[match].story.id)
      if let published = kept[match].published, published == items[index].item.published {
        items[index].day = before[match].day
      }
      taken.insert(kept[match].story.id)
    }
    for index in items.indices where matches[index] == nil {
      items[index].item.claimID(in: &taken)
    }
    return (items, before.indices.filter { !replaced.contains($0) }.map { before[$0] })
  }

  // MARK: Undated items

  /// The days on which undated items were first seen.
  struct FirstDays: Sendable {
    var days: [ExactString: DayKey] = [:]
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

  /// - Parameter current: The keys of the items that the feed has now; these are always kept.
  func keep(_ first: FirstDays, current: Set<ExactString>, at time: Date) async throws {
    try await alone {
      // Those that another process has kept since.
      var days = try await firstDays().days
      days.merge(first.days) { min($0, $1) }
      if days.count > Self.maximumKeyCount { days = days.filter { current.contains($0.key) } }
      let keys = Dictionary(grouping: days.keys) { days[$0]?.description ?? "" }
      let bytes = try JSONText.encoded(keys.mapValues { $0.map(\.text).sorted() })
      try await keep(bytes, as: identity + "#first-seen", at: time)
    }
  }

  // MARK: Documents

  private func name(of day: DayKey) -> String { "\(identity)#items-\(day.description.prefix(6))" }

  /// Runs `body` while no other archive of the cache, of any process, runs its own.
  private func alone<Value>(_ body: () async throws -> Value) async throws -> Value {
    guard let directory = documents.pipelineConfiguration?.diskCache?.configuration.directory else {
      return try await body()
    }
    // The lock is that of the folder itself: no file is left behind. Without locks of the file
    // system, a writer may undo what another one adds at the same moment.
    let folder = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if folder >= 0 { close(folder) } }
    while folder >= 0, flock(folder, LOCK_EX | LOCK_NB) != 0, errno == EINTR || errno == EWOULDBLOCK
    {
      try await Task.sleep(for: .milliseconds(5))
    }
    return try await body()
  }

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
    var id: String
    var title: String?
    var url: String?
    var hint: String?
    var hue: String?
    var images: [Image]?
    var base: String?
    var html: String?
    var date: Int?
    var guid: String?

    var filed: Filed? {
      guard let day = DayKey(day) else { return nil }
      var story = FeedStory(id: id, title: title ?? "")
      story.url = url
      story.hint = hint
      story.hue = hue
      story.images = (images ?? []).map {
        FeedImage(url: $0.url, role: $0.role, storyID: id, index: $0.index)
      }
      var item = FeedItem(story: story, day: day)
      item.published = date
      item.guid = guid ?? item.guid
      item.page = html.map { StoryPage(title: story.title, url: base ?? "", html: $0) }
      return (item, day)
    }
  }

  private static func text(of filed: [Filed]) -> [UInt8] {
    var text: [UInt8] = []
    for (item, day) in filed {
      let (story, page) = (item.story, item.page)
      let line: JSONLine = [
        "base": page?.url, "date": item.published, "day": day.description,
        "guid": item.guid == FeedItem.guid(of: story) ? nil : item.guid, "hint": story.hint,
        "html": page?.html, "hue": story.hue, "id": story.id,
        "images": story.images.isEmpty
          ? nil
          : story.images.map {
            ["index": $0.index, "role": $0.role.rawValue, "url": $0.url] as JSONLine
          },
        "key": item.key.text, "title": story.title.isEmpty ? nil : story.title, "url": story.link,
      ]
      text += line.description.utf8
      text.append(0x0A)
    }
    return text
  }

  /// The items that can be read; a damaged line costs no other.
  private static func filed(in bytes: [UInt8]) -> [Filed] {
    let decoder = JSONDecoder()
    return bytes.split(separator: 0x0A).compactMap {
      (try? decoder.decode(Row.self, from: Data($0)))?.filed
    }
  }
}
