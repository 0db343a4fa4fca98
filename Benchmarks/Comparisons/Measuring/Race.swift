/// Runs both sides of a comparison by turns, so that other load on the machine affects both.
public struct Race: Sendable {
  /// A round of a benchmark that was not set up.
  public struct Unready: Error {
    /// The error itself.
    public init() {}
  }

  private let comparison: Comparison
  private let contest: Contest
  private var oursIsFirst = false

  /// Makes the inputs and runs both sides once to warm up.
  public init(_ comparison: Comparison) async throws {
    self.comparison = comparison
    contest = try await comparison.prepare()
    _ = try await round()
  }

  /// One round. The first side alternates from round to round.
  public mutating func round() async throws -> Sample {
    oursIsFirst.toggle()
    if oursIsFirst {
      let ours = try await time(contest.ours)
      return Sample(ours: ours, limit: try await timeOfLimit())
    }
    let limit = try await timeOfLimit()
    return Sample(ours: try await time(contest.ours), limit: limit)
  }

  /// Releases the resources of the contest.
  public func end() async { await contest.end() }

  private func timeOfLimit() async throws -> Double? {
    guard let limit = contest.limit else { return nil }
    return try await time(limit)
  }

  /// Nanoseconds of one operation.
  private func time(_ side: Contest.Side) async throws -> Double {
    let start = Stopwatch.nanoseconds(comparison.clock)
    try await side(comparison.count)
    return (Stopwatch.nanoseconds(comparison.clock) - start) / Double(comparison.count)
  }
}
