import HTTPCaching
import ImageModel

/// The latest purges by tag: values that were fetched before do not count.
final class PurgeList: Sendable {
  private struct State {
    var times: [ExactString: Date] = [:]
    /// The time of a purge of everything: the latest of the purges not remembered one by one.
    var floor: Date?
  }

  private let state = Locked(State())
  private static let maximumCount = 100_000
  /// The time after a purge within which a value counts as purged: the clocks of servers differ.
  static let margin = 2.0

  @discardableResult
  func add(_ tag: String, at time: Date) -> Bool {
    state.withLock { state in
      let known = state.times[ExactString(tag)]
      if let known, known >= time { return false }
      if known == nil, state.times.count >= Self.maximumCount {
        state.floor = ([state.floor].compactMap(\.self) + state.times.values).max()
        state.times = [:]
      }
      state.times[ExactString(tag)] = time
      return true
    }
  }

  /// Whether a value with these tags was purged after it was made.
  func covers(_ tags: [String], made: Date) -> Bool {
    state.withLock { state in
      if let floor = state.floor, made < floor.addingTimeInterval(Self.margin) { return true }
      if state.times.isEmpty { return false }
      return tags.contains { tag in
        state.times[ExactString(tag)].map { made < $0.addingTimeInterval(Self.margin) } ?? false
      }
    }
  }

  /// The time that other servers compare with purges: that of the value, or if it arrived after a
  /// purge that this server had received, a moment at which no clock is before that purge.
  func currentTime(of value: TierValue) -> Date {
    let received = value.currentAt
    return state.withLock { state in
      ([state.floor] + value.tags.map { state.times[ExactString($0)] }).compactMap(\.self)
        .filter { $0 <= received }
        // Times are written in whole milliseconds.
        .reduce(received) { max($0, $1.addingTimeInterval(Self.margin + 0.001)) }
    }
  }
}
