/// The last hour of a server in steps of ten seconds: differences of readings of its counters.
struct StatusHistory: Sendable {
  struct Reading: Sendable {
    /// The time of a monotonic clock, in seconds.
    var seconds: Double
    var counts = StatusCounts()
    var load = ServerStatus.Load()
  }

  fileprivate struct Step: Sendable {
    var number: Int
    var seconds: Double
    var counts: StatusCounts
    var load: ServerStatus.Load
  }

  static let stepSeconds = 10.0
  static let stepCount = 360
  static let stepsPerPoint = 3

  private let first: Reading
  private var last: Reading
  private var steps: [Step] = []
  private var nextNumber = 0

  /// Begins with a reading, before which nothing is known.
  init(_ first: Reading) {
    self.first = first
    last = first
  }

  func age(at reading: Reading) -> Double { max(0, reading.seconds - first.seconds) }

  /// Adds a reading; one whose time has not advanced is ignored.
  mutating func add(_ reading: Reading) {
    guard let step = step(to: reading) else { return }
    steps.append(step)
    if steps.count > Self.stepCount { steps.removeFirst(steps.count - Self.stepCount) }
    nextNumber += 1
    last = reading
  }

  private func step(to reading: Reading) -> Step? {
    let seconds = reading.seconds - last.seconds
    guard seconds > 0 else { return nil }
    return Step(
      number: nextNumber, seconds: seconds, counts: reading.counts.since(last.counts),
      load: reading.load)
  }

  /// The figures of a span that ends with a reading, of whole steps and what came after them.
  func figures(ofLast seconds: Double, until reading: Reading) -> ServerStatus.Figures {
    let (counts, length) = sum(ofLast: seconds, until: reading)
    return counts.figures(seconds: length)
  }

  func counts(ofLast seconds: Double, until reading: Reading) -> StatusCounts {
    sum(ofLast: seconds, until: reading).counts
  }

  private func sum(
    ofLast seconds: Double, until reading: Reading
  ) -> (counts: StatusCounts, seconds: Double) {
    var (sum, length) = (StatusCounts(), 0.0)
    if let step = step(to: reading) { (sum, length) = (step.counts, step.seconds) }
    for step in steps.reversed() {
      guard length + step.seconds <= seconds + Self.stepSeconds / 2 else { break }
      sum.add(step.counts)
      length += step.seconds
    }
    return (sum, length)
  }

  /// The hour in points, oldest first; the last one ends with a reading and may be short.
  func points(until reading: Reading) -> ServerStatus.History {
    var history = ServerStatus.History()
    let all = steps + (step(to: reading).map { [$0] } ?? [])
    var start = 0
    while start < all.count {
      let group = all[start].number / Self.stepsPerPoint
      let end = all[start...].firstIndex { $0.number / Self.stepsPerPoint != group } ?? all.count
      history.append(all[start..<end])
      start = end
    }
    return history
  }
}

extension ServerStatus.History {
  fileprivate mutating func append(
    _ steps: ArraySlice<StatusHistory.Step>
  ) {
    var sum = StatusCounts()
    for step in steps { sum.add(step.counts) }
    let figures = sum.figures(seconds: steps.reduce(0) { $0 + $1.seconds })
    func add(_ new: [String: Int], to columns: inout [String: [Int]]) {
      for name in Set(columns.keys).union(new.keys) {
        // A name that is new had nothing before.
        let column = columns[name] ?? [Int](repeating: 0, count: seconds.count)
        columns[name] = column + [new[name] ?? 0]
      }
    }
    func highest(_ value: KeyPath<ServerStatus.Load, [String: Int]>) -> [String: Int] {
      steps.reduce(into: [:]) { $0.merge($1.load[keyPath: value]) { max($0, $1) } }
    }
    add(figures.answers, to: &answers)
    add(highest(\.running), to: &running)
    add(highest(\.waiting), to: &waiting)
    seconds.append(figures.seconds)
    requests.append(figures.requests)
    errors.append(figures.errors)
    memoryEvictions.append(figures.memoryEvictions)
    diskEvictions.append(figures.diskEvictions)
    p50Seconds.append(figures.p50Seconds)
    p99Seconds.append(figures.p99Seconds)
  }
}
