import ImageFeeds
import ImageModel
import Testing

@testable import ThumbnailServer
@testable import TestSupport

/// The titles that a search of days keeps in memory.
@Suite struct `The titles of days` {
  /// Days whose documents are counted, and may be held, damaged or gone.
  private final class StubTitles: DayProviding {
    struct State {
      var titles: [DayKey: (stories: [String], top: [String])]
      var unreadable: Set<DayKey> = []
      var reads: [DayKey] = []
    }
    let state: Locked<State>
    /// Opens the documents; open from the start unless a test holds them.
    let gate = Gate()

    init(_ titles: [(day: DayKey, stories: [String], top: [String])], isHeld: Bool = false) {
      state = Locked(
        State(
          titles: Dictionary(uniqueKeysWithValues: titles.map { ($0.day, ($0.stories, $0.top)) })))
      if !isHeld { gate.open() }
    }

    var reads: [DayKey] { state.withLock { $0.reads } }

    func keptDays() async throws -> [DayKey] { state.withLock { $0.titles.keys.sorted(by: >) } }

    func day(_ day: DayKey) async throws -> FeedDay? {
      state.withLock { $0.reads.append(day) }
      await gate.wait()
      return try state.withLock { state in
        if state.unreadable.contains(day) { throw ImageError(.notJSON, "damaged") }
        func stories(_ titles: [String], _ kind: String) -> [FeedStory] {
          titles.enumerated().map { FeedStory(id: "\(day)-\(kind)\($0)", title: $1) }
        }
        return state.titles[day].map {
          FeedDay(day: day, stories: stories($0.stories, ""), topStories: stories($0.top, "top"))
        }
      }
    }

    func names(_ url: String) async -> Bool { false }
    func lastRefresh(of day: DayKey) async -> String? { nil }
    func refresh(
      _ query: DayQuery, progress: @escaping @Sendable (RefreshProgress) -> Void
    ) async throws -> RefreshProgress { RefreshProgress() }
  }

  private let days: [DayKey]

  init() throws {
    days = try ["20200617", "20200616", "20200615", "20200614", "20200613"].map {
      try #require(DayKey($0))
    }
  }

  /// Searches until all titles are known: a search reads for a limited time.
  private func search(
    _ text: String, limit: Int = 20, _ titles: DayTitles, _ provider: StubTitles
  ) async throws -> DayTitles.Result {
    var result = DayTitles.Result(isComplete: false)
    for _ in 0..<100 where !result.isComplete {
      result = try await titles.search(FoldedText.terms(of: text), limit: limit, in: provider)
    }
    return result
  }

  private func found(
    _ text: String, limit: Int = 20, _ titles: DayTitles, _ provider: StubTitles
  ) async throws -> [String] {
    try await search(text, limit: limit, titles, provider).matches.map { "\($0.day) \($0.index)" }
  }

  @Test func `are found newest day first, in the order of the feed, top stories last`() async throws
  {
    let provider = StubTitles([
      (days[1], ["red cat", "blue cat"], []), (days[0], ["a cat", "a dog"], ["Top CAT"]),
    ])
    let titles = DayTitles()

    let cats = try await found("cat", titles, provider)
    #expect(cats == ["20200617 0", "20200617 2", "20200616 0", "20200616 1"])
    #expect(try await found("cat blue", titles, provider) == ["20200616 1"])
    #expect(try await found("blue red", titles, provider) == [])
    #expect(try await found("cat", limit: 3, titles, provider) == Array(cats.prefix(3)))
  }

  @Test func `are read once for several searches`() async throws {
    let provider = StubTitles(days.map { ($0, ["cat"], []) })
    let titles = DayTitles()

    for text in ["cat", "dog", "cat"] { _ = try await found(text, titles, provider) }

    // Those of the newest three days count for ten seconds only.
    #expect(provider.reads.filter { days[3...].contains($0) } == Array(days[3...]))
  }

  @Test func `of new, removed and damaged days hide no other day`() async throws {
    let provider = StubTitles(days.dropFirst().map { ($0, ["cat"], []) })
    let titles = DayTitles()
    _ = try await found("cat", titles, provider)

    provider.state.withLock { [day = days[0]] in $0.titles[day] = (["new cat"], []) }

    #expect(try await found("new", titles, provider) == ["20200617 0"])
    #expect(provider.reads.filter { days[3...].contains($0) } == Array(days[3...]))

    provider.state.withLock { [days] state in
      state.titles[days[0]] = nil
      state.unreadable = [days[1]]
    }

    #expect(try await found("new", titles, provider) == [])
    let result = try await search("cat", DayTitles(), provider)
    #expect(result.matches.map(\.day) == Array(days[2...]))
    #expect(result.isComplete)
  }

  @Test func `that another search reads are not waited for, but told incomplete`() async throws {
    let provider = StubTitles([(days[0], ["cat"], [])], isHeld: true)
    let titles = DayTitles()
    let first = Task { try await titles.search([Array("cat".utf8)], limit: 9, in: provider) }
    await provider.gate.arrivals(1)

    let second = try await titles.search([Array("cat".utf8)], limit: 9, in: provider)
    provider.gate.open()

    #expect(second.matches.isEmpty && !second.isComplete)
    let result = try await first.value
    #expect(result.matches.count == 1 && result.isComplete)
    #expect(provider.reads.count == 1)
  }

  @Test func `are read by the next search after one that was cancelled`() async throws {
    let provider = StubTitles(days.map { ($0, ["cat"], []) }, isHeld: true)
    let titles = DayTitles()
    let first = Task { try await titles.search([Array("cat".utf8)], limit: 9, in: provider) }
    await provider.gate.arrivals(1)

    first.cancel()
    provider.gate.open()

    _ = await first.result
    let result = try await search("cat", titles, provider)
    #expect(result.matches.count == 5 && result.isComplete)
  }
}
