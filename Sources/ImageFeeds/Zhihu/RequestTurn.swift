/// Runs one request at a time, in order of arrival.
actor RequestTurn {
  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Runs a request when those before it are done.
  ///
  /// - Throws: Any error of `request`; `CancellationError` if the task was cancelled while it
  ///   waited.
  nonisolated func run<Answer: Sendable>(
    _ request: @Sendable () async throws -> Answer
  ) async throws -> Answer {
    await enter()
    do {
      try Task.checkCancellation()
      let answer = try await request()
      await leave()
      return answer
    } catch {
      await leave()
      throw error
    }
  }

  private func enter() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func leave() {
    if waiting.isEmpty {
      isTaken = false
    } else {
      waiting.removeFirst().resume()
    }
  }
}
