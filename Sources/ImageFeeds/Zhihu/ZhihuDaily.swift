import ImageModel

/// Zhihu Daily: a newest day with top stories, and every day since 2013-05-19 without them.
///
/// Bases are tried in order until one answers, one request at a time. The response of the newest
/// day is kept under its date, since no later response has the top stories of that day.
struct ZhihuDaily: ImageFeed {
  static let title = "知乎日报"

  private let bases: [ZhihuBase]
  private let documents: any DocumentLoading
  private let currentDay: @Sendable () -> DayKey
  private let turn = RequestTurn()

  init(
    bases: [ZhihuBase] = ZhihuBase.publicBases, documents: any DocumentLoading,
    today: @escaping @Sendable () -> DayKey
  ) {
    self.bases = bases
    self.documents = documents
    currentDay = today
  }

  var identity: String { bases.map(\.address).joined(separator: " ") }

  var today: DayKey { currentDay() }

  /// A past day has the stories of `before`, and the top stories of the last `latest` of that day
  /// that was kept.
  func day(_ query: DayQuery, policy: CachePolicy) async throws -> FeedDay {
    switch query {
    case .latest: try await latest(policy)
    case .day(let day): try await self.day(day, policy)
    }
  }

  /// The images of a story's page: its header and those in its text. An external article has no
  /// page.
  func bodyImages(of story: FeedStory, policy: CachePolicy) async throws -> [FeedImage] {
    try await page(of: story, policy: policy)?.images(of: story.id) ?? []
  }

  func page(of story: FeedStory, policy: CachePolicy) async throws -> StoryPage? {
    guard story.id.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
    let answer = try await ask(
      "story \(story.id)", policy, at: { ZhihuBase.story(story.id, $0) },
      reading: ZhihuDailyDecoding.story)
    guard let body = answer.value.body else { return nil }
    let base = answer.value.story.link ?? story.link ?? answer.document.url
    var page = StoryPage(
      title: answer.value.story.title.isEmpty ? story.title : answer.value.story.title, url: base,
      header: answer.value.header, html: body)
    page.headerCredit = answer.value.imageSource
    return page
  }

  // MARK: Days

  private func latest(_ policy: CachePolicy) async throws -> FeedDay {
    // However fresh the kept one is by its headers, there may be more stories by now.
    let answer = try await ask(
      "latest", policy == .http ? .revalidate : policy, at: ZhihuBase.latest
    ) {
      bytes throws(ImageError) in
      let list = try ZhihuDailyDecoding.list(from: bytes)
      guard !list.isEmpty else { throw ImageError(.dayNotFound, "the newest day has no stories") }
      return list
    }
    if let date = answer.value.date, policy != .onlyIfCached {
      try await keepSnapshot(of: date, answer)
    }
    var day = try found(answer.value, today, answer.document)
    if answer.value.date == nil {
      day.warnings.append("the response has no date; \(today) is assumed")
    }
    return day
  }

  private func day(_ day: DayKey, _ policy: CachePolicy) async throws -> FeedDay {
    guard day >= .firstOfZhihuDaily else {
      throw ImageError(
        .dayNotFound, "Zhihu Daily has no day \(day); its first is \(DayKey.firstOfZhihuDaily)")
    }
    guard day <= today else {
      throw ImageError(.dayNotFound, "day \(day) is in the future; today is \(today) in UTC+8")
    }
    if day == today {
      do {
        // Before six o'clock, yesterday is still the newest day.
        let latest = try await latest(policy)
        if latest.day == day { return latest }
      } catch let error as ImageError where [.notCached, .dayNotFound].contains(error.code) {}
    }
    let snapshot = try await snapshot(of: day)
    do {
      let answer = try await before(day, policy)
      var list = answer.value
      if let snapshot { list.formUnion(snapshot) }
      return try found(list, day, answer.document)
    } catch let error as ImageError where ZhihuFailover.next(after: error) != .nothing {
      return try await keptDay(day, snapshot, policy, after: error)
    }
  }

  private func before(
    _ day: DayKey, _ policy: CachePolicy
  ) async throws -> Answer<ZhihuDailyList> {
    let answer = try await ask("day \(day)", policy, at: { ZhihuBase.day(day, $0) }) {
      bytes throws(ImageError) in
      let list = try ZhihuDailyDecoding.list(from: bytes)
      if let date = list.date, date != day {
        throw ImageError(.dayNotFound, "the response is for another day, \(date)")
      }
      return list
    }
    // Only a list that was sent after its day is whole for good.
    guard policy == .http, answer.document.source == .disk,
      DayKey.today(at: answer.document.fetchedAt) <= day
    else { return answer }
    return try await before(day, .revalidate)
  }

  /// Returns a past day, which does not change, from the cache when no base can be reached.
  private func keptDay(
    _ day: DayKey, _ snapshot: ZhihuDailyList?, _ policy: CachePolicy, after error: ImageError
  ) async throws -> FeedDay {
    var list = ZhihuDailyList()
    var document: Document?
    if policy != .onlyIfCached, let answer = try? await before(day, .onlyIfCached) {
      list = answer.value
      document = answer.document
    }
    if let snapshot { list.formUnion(snapshot) }
    guard !list.isEmpty else { throw error }
    if policy != .onlyIfCached { list.warnings.append("using the kept list: \(error.message)") }
    return try found(list, day, document)
  }

  private func found(
    _ list: ZhihuDailyList, _ day: DayKey, _ document: Document?
  ) throws(ImageError) -> FeedDay {
    guard !list.isEmpty else { throw ImageError(.dayNotFound, "day \(day) has no stories") }
    var found = list.day(orElse: day)
    found.source = document?.source ?? .disk
    found.origin = document?.url
    found.setFeed { [bases] _ in FeedReference(title: Self.title, url: bases.first?.address ?? "") }
    return found
  }

  // MARK: Snapshots of the newest day

  private func keepSnapshot(of day: DayKey, _ answer: Answer<ZhihuDailyList>) async throws {
    guard !answer.value.topStories.isEmpty else { return }
    let name = ZhihuBase.latestSnapshot(of: day, answer.root)
    if answer.document.source != .network {
      let kept = try await documents.keptDocument(named: name)
      if kept?.bytes == answer.document.bytes { return }
    }
    try await documents.keep(answer.document, as: name)
  }

  private func snapshot(of day: DayKey) async throws -> ZhihuDailyList? {
    for root in bases.flatMap(\.roots) {
      let name = ZhihuBase.latestSnapshot(of: day, root)
      if let kept = try await documents.keptDocument(named: name),
        let list = try? ZhihuDailyDecoding.list(from: kept.bytes), list.date == day
      {
        return list
      }
    }
    return nil
  }

  // MARK: Asking

  private typealias Answer<Value> = (value: Value, document: Document, root: String)

  private func ask<Value: Sendable>(
    _ wanted: String, _ policy: CachePolicy, at addresses: @Sendable (String) -> [String],
    reading: @Sendable ([UInt8]) throws(ImageError) -> Value
  ) async throws -> Answer<Value> {
    let options = DocumentOptions(policy, accept: "application/json")
    return try await turn.run {
      var failover = ZhihuFailover()
      bases: for base in bases {
        for root in base.roots {
          for address in addresses(root) {
            do {
              let document = try await documents.document(at: address, options: options)
              let value = try reading(document.bytes)
              return (value, document, root)
            } catch var error as ImageError {
              error.url = address
              let next = ZhihuFailover.next(after: error)
              if next == .nothing { throw error }
              failover.record(error, from: base.address)
              if next == .nextBase { continue bases }
            }
          }
        }
      }
      throw failover.summary(of: wanted)
    }
  }
}
