import ImageFeeds

/// The titles of the kept days, in memory, so that a search reads no document.
///
/// Documents are read on demand, newest first, for at most ``maximumReading`` a search. A search
/// that could not read all of them reports that, and the next one continues.
actor DayTitles {
  /// A story whose title matches: its day and its place among the stories and then the top stories.
  struct Match: Sendable, Hashable {
    var day: DayKey
    var index: Int
  }

  struct Result: Sendable, Hashable {
    var matches: [Match] = []
    /// Whether the titles of all days were known.
    var isComplete = true
  }

  private struct Entry {
    /// The identifier and the folded title of each story, then of each top story.
    var titles: [(id: String, text: [UInt8])]
    var readAt: ContinuousClock.Instant
    var byteCount: Int { titles.reduce(0) { $0 + $1.text.count + $1.id.utf8.count + 48 } }
  }

  /// How long a search may read documents.
  static let maximumReading = Duration.seconds(1)
  /// The memory that titles may take; days beyond it, the oldest, are not searched.
  static let maximumByteCount = 64 << 20
  /// How long titles of days count: the newest ones still change.
  private static let lifetimes = (newest: Duration.seconds(10), others: Duration.seconds(600))
  private static let newestDayCount = 3

  private var entries: [DayKey: Entry] = [:]
  private var byteCount = 0
  private var isReading = false

  /// Returns the stories whose titles contain all terms, at most `limit`, each once: top stories
  /// are often stories of their day or of earlier days.
  func search(_ terms: [[UInt8]], limit: Int, in days: any DayProviding) async throws -> Result {
    let known = try await days.keptDays()
    var result = Result(isComplete: try await read(known, days))
    var seen: Set<String> = []
    for day in known {
      for (index, title) in (entries[day]?.titles ?? []).enumerated()
      where terms.allSatisfy({ FoldedText.contains($0, in: title.text) })
        && seen.insert(title.id).inserted
      {
        result.matches.append(Match(day: day, index: index))
        if result.matches.count == limit { return result }
      }
    }
    return result
  }

  /// Reads the documents of days that are not known or were read too long ago; returns whether the
  /// titles of all days are known now.
  private func read(_ known: [DayKey], _ days: any DayProviding) async throws -> Bool {
    // A search that comes meanwhile uses what is known so far.
    guard !isReading else { return known.allSatisfy { entries[$0] != nil } }
    isReading = true
    defer { isReading = false }
    let kept = Set(known)
    for day in entries.keys where !kept.contains(day) { replace(day, by: nil) }
    let clock = ContinuousClock()
    let end = clock.now + Self.maximumReading
    for (number, day) in known.enumerated() {
      let isNewest = number < Self.newestDayCount
      let lifetime = isNewest ? Self.lifetimes.newest : Self.lifetimes.others
      if let entry = entries[day], entry.readAt + lifetime > clock.now { continue }
      guard clock.now < end else { return known[number...].allSatisfy { entries[$0] != nil } }
      guard byteCount < Self.maximumByteCount || entries[day] != nil else { return false }
      try Task.checkCancellation()
      // A document that cannot be read has no titles; that hides no other day.
      let found = try? await days.day(day)
      let titles = found.map {
        ($0.stories + $0.topStories).map { ($0.id, FoldedText.folded($0.title)) }
      }
      replace(day, by: Entry(titles: titles ?? [], readAt: clock.now))
    }
    return true
  }

  private func replace(_ day: DayKey, by entry: Entry?) {
    byteCount += (entry?.byteCount ?? 0) - (entries[day]?.byteCount ?? 0)
    entries[day] = entry
  }
}
