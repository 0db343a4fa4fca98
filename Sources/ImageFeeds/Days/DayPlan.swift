/// Which days to load next, for several requests of `daysEach` days each, the requested day first,
/// then back in time; every day once.
///
/// The day of ``DayQuery/latest`` is noted, since the days before it are known only then.
struct DayPlan: Sendable {
  private var pending: ArraySlice<DayQuery> = []
  private var seen: Set<DayQuery> = []
  private let daysEach: Int

  init(_ requests: [DayRequest], daysEach: Int = 1, today: DayKey) {
    self.daysEach = max(1, daysEach)
    for request in requests.isEmpty ? [.latest] : requests {
      for query in request.queries(today: today) {
        add(query)
        if case .day(let day) = query { addDays(before: day) }
      }
    }
  }

  /// What ``next()`` returns.
  var first: DayQuery? { pending.first }

  mutating func next() -> DayQuery? { pending.popFirst() }

  var remainingCount: Int { pending.count }

  /// Only the response to ``DayQuery/latest`` adds days, those before the newest of its own.
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
