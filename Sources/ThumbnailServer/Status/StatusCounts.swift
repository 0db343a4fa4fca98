/// What a server counted: until an instant, or during a span of time.
struct StatusCounts: Sendable, Hashable {
  /// What is counted. The requests of operators are not.
  enum Event: Int, Sendable, CaseIterable {
    case requests, clientErrors, serverErrors, sentBytes
    /// Responses with an image, by source.
    case memory, disk, shared, stale, miss, placeholder
    case memoryEvictions, diskEvictions
    case tierHits, tierMisses, tierErrors
  }

  private var counts = [Int](repeating: 0, count: Event.allCases.count)
  /// The durations of requests for images.
  var durations = Histogram()

  subscript(event: Event) -> Int {
    get { counts[event.rawValue] }
    set { counts[event.rawValue] = newValue }
  }

  /// What was counted since a former instant; a counter that fell began again at zero.
  func since(_ former: StatusCounts) -> StatusCounts {
    var new = self
    for index in counts.indices where counts[index] >= former.counts[index] {
      new.counts[index] -= former.counts[index]
    }
    new.durations = durations.since(former.durations)
    return new
  }

  /// Counts what was counted during another span, too.
  mutating func add(_ other: StatusCounts) {
    for index in counts.indices { counts[index] += other.counts[index] }
    durations.add(other.durations)
  }
}
