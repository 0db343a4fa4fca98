/// Which days to load next, for several requests of some days each; every day once.
///
/// A value without I/O: take ``next()`` until it is `nil`, and note the day of ``DayQuery/latest``,
/// since the days before it are known only then.
struct DayPlan: Sendable {
  private var pending: ArraySlice<DayQuery> = []
  private var seen: Set<DayQuery> = []
  private let daysEach: Int

  /// Plans `daysEach` days ending with each day requested: the requested day first, then back in
  /// time.
  ///
  /// - Parameters:
  ///   - requests: The days requested; empty means ``DayRequest/latest``.
  ///   - daysEach: At least 1; less counts as 1.
  ///   - today: The current day in UTC+8.
  init(_ requests: [DayRequest], daysEach: Int = 1, today: DayKey) {
    self.daysEach = max(1, daysEach)
    for request in requests.isEmpty ? [.latest] : requests {
      for query in request.queries(today: today) {
        add(query)
        if case .day(let day) = query { addDays(before: day) }
      }
    }
  }

  /// The next day to load, or `nil` when all are done.
  mutating func next() -> DayQuery? { pending.popFirst() }

  /// Days still to be loaded, as far as they are known.
  var remainingCount: Int { pending.count }

  /// Notes which days a response was for; only the response to ``DayQuery/latest`` adds days, those
  /// before the newest of its own.
  mutating func record(_ days: [DayKey], answering query: DayQuery) {
    guard query == .latest, let newest = days.max() else { return }
    let answered = Set(days.map(DayQuery.day))
    seen.formUnion(answered)
    pending.removeAll(where: answered.contains)
    addDays(before: newest)
  }

  private mutating func addDays(before day: DayKey) {
    for distance in 1..<daysEach { add(.day(day.advanced(by: -distance))) }
  }

  private mutating func add(_ query: DayQuery) {
    if seen.insert(query).inserted { pending.append(query) }
  }
}
