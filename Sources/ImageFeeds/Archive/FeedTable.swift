import ImageModel

/// Which feeds the images of days came from.
public struct FeedTable: Sendable {
  private var byURL: [String: [FeedReference]] = [:]
  private var byDay: [DayKey: [FeedReference]] = [:]

  /// The feeds whose stories name an image; of one that no story names, such as one in the page of
  /// a story, those of its days.
  public func feeds(of url: String, on days: [DayKey]) -> [FeedReference] {
    if let feeds = byURL[WebURL.withoutFragment(url)] { return feeds }
    return days.reduce(into: []) { feeds, day in
      feeds += (byDay[day] ?? []).filter { !feeds.contains($0) }
    }
  }

  fileprivate mutating func add(_ part: FeedDay) {
    for story in part.stories + part.topStories {
      guard let feed = story.feed else { continue }
      if byDay[part.day]?.contains(feed) != true { byDay[part.day, default: []].append(feed) }
      for image in story.images {
        let url = WebURL.withoutFragment(image.url)
        if byURL[url]?.contains(feed) != true { byURL[url, default: []].append(feed) }
      }
    }
  }
}

extension DayArchive {
  /// Reads which feeds the images of a day in the cache came from, or of all days; sends no request.
  public func feedTable(of day: DayKey? = nil) async throws -> FeedTable {
    var table = FeedTable()
    let all = try await withRecords { await $0.all }
    // In order: a feed keeps what it has read of the days beside one.
    for (key, rows) in all.rows.sorted(by: { $0.key > $1.key }) where day == nil || key == day {
      let kept = try? await kept(
        key, from: DayRecords.sources(in: rows), all.titles, leavingOut: [])
      for part in kept?.parts ?? [] { table.add(part) }
    }
    return table
  }
}
