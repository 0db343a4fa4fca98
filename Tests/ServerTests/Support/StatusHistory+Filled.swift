@testable import HTTPListening

extension ServerStatus.History {
  /// A history of equal points.
  static func filled(_ seconds: Double, _ count: Int) -> Self {
    var history = Self()
    history.seconds = [Double](repeating: seconds, count: count)
    let ones = [Int](repeating: 1, count: count)
    history.requests = ones
    history.errors = ones
    for source in ServerMetrics.Source.allCases { history.answers["\(source)"] = ones }
    history.memoryEvictions = ones
    history.diskEvictions = ones
    history.p50Seconds = [Double?](repeating: 0.001, count: count)
    history.p99Seconds = [Double?](repeating: 2.5, count: count)
    history.running = ["decode": ones, "origin": ones]
    history.waiting = ["decode": ones, "fetch": ones, "origin": ones, "collapsed": ones]
    return history
  }
}
