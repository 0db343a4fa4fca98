import ImagePipeline

/// A list of stories as the API sent it, with or without its date.
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
