import HTTPListening

/// The counts of a server: until an instant, or during a span of time.
struct StatusCounts: Sendable, Hashable {
  /// The counted events. The requests of operators are not counted.
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

  /// The counts since an earlier instant; a counter that decreased has restarted at zero.
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
