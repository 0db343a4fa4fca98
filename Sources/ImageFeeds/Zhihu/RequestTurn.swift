/// Runs one request at a time, in order of arrival.
actor RequestTurn {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func run<Answer: Sendable>(
    _ request: @Sendable () async throws -> Answer
  ) async throws -> Answer {
    if isTaken { await withCheckedContinuation { waiting.append($0) } }
    isTaken = true
    defer {
      if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
    }
    try Task.checkCancellation()
    return try await request()
  }
}
