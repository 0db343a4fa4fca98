import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `The choice after a failed base` {
  /// Failures and what is tried after them: 1 the other route, 2 the next base, 0 nothing.
  private static let choices: [(error: ImageError, choice: Int)] =
    [400, 404, 405, 410, 501].map { (ImageError(.httpStatus, "x", status: $0), 1) }
    + [401, 403, 429, 500, 502, 503].map { (ImageError(.httpStatus, "x", status: $0), 2) }
    + [.notJSON, .notAFeed, .emptyBody, .notCached].map { (ImageError($0, "x"), 1) }
    + [.timedOut, .connectionFailed, .connectionReset, .tooLarge].map { (ImageError($0, "x"), 2) }
    + [.diskFull, .storeFailed, .outOfMemory].map { (ImageError($0, "x"), 0) }

  @Test(arguments: choices)
  func `is the other route, the next base, or none where no other would help`(
    error: ImageError, choice: Int
  ) {
    let next =
      switch ZhihuFailover.next(after: error) {
      case .nothing: 0
      case .sameHost: 1
      case .nextBase: 2
      }

    #expect(next == choice)
  }

  @Test func `is reported by the first reason of each base that is more than an absence`() {
    var failover = ZhihuFailover()
    let missing = ImageError(.httpStatus, "HTTP 404", status: 404)

    failover.record(missing, from: "a")
    failover.record(ImageError(.timedOut, "late"), from: "a")
    failover.record(ImageError(.notJSON, "HTML"), from: "a")
    failover.record(missing, from: "b")
    failover.record(ImageError(.notCached, "not cached"), from: "b")
    let error = failover.summary(of: "day 20200616")

    #expect(error.code == .timedOut)
    #expect(error.message == "cannot get day 20200616 from a: late; b: HTTP 404")
    let none = ZhihuFailover().summary(of: "latest")
    #expect(none.code == .dayNotFound && none.message.contains("no base URL"))
  }
}

@Suite struct `The turn of a request` {
  @Test func `goes to the next after a failure, and is not used by a cancelled task`() async throws
  {
    let turn = RequestTurn()
    let isAsked = Locked(false)

    await #expect(throws: ImageError.self) {
      try await turn.run { throw ImageError(.timedOut, "late") }
    }
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await turn.run { isAsked.withLock { $0 = true } }
    }
    await #expect(throws: CancellationError.self) { try await task.value }

    #expect(!isAsked.withLock { $0 })
    #expect(try await turn.run { 7 } == 7)
  }
}
