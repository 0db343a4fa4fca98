/// The counts of a server: until an instant, or during a span of time.
struct StatusCounts: Sendable, Hashable {
  /// The counted events. The requests of operators are not counted.
  enum Event: Int, Sendable, CaseIterable {
    case requests, clientErrors, serverErrors, sentBytes
    case memoryEvictions, diskEvictions
    case tierHits, tierMisses, tierErrors
  }

  private var counts = [Int](repeating: 0, count: Event.allCases.count)
  /// Responses by the name of their source, for each that the server has.
  private(set) var answers: [String: Int] = [:]
  var durations = Histogram()

  subscript(event: Event) -> Int {
    get { counts[event.rawValue] }
    set { counts[event.rawValue] = newValue }
  }

  subscript(source: ServerMetrics.Source) -> Int {
    get { answers["\(source)"] ?? 0 }
    set { answers["\(source)"] = newValue }
  }

  /// The counts since an earlier instant; a counter that decreased has restarted at zero.
  func since(_ former: StatusCounts) -> StatusCounts {
    var new = self
    for index in counts.indices where counts[index] >= former.counts[index] {
      new.counts[index] -= former.counts[index]
    }
    for (name, count) in former.answers where answers[name] ?? 0 >= count {
      new.answers[name, default: 0] -= count
    }
    new.durations = durations.since(former.durations)
    return new
  }

  mutating func add(_ other: StatusCounts) {
    for index in counts.indices { counts[index] += other.counts[index] }
    answers.merge(other.answers) { $0 + $1 }
    durations.add(other.durations)
  }
}
