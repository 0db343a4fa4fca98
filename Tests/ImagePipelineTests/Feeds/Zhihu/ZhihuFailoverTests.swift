import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `The choice after a failed base` {
  @Test(arguments: [
    (400, true), (404, true), (405, true), (410, true), (501, true), (401, false), (403, false),
    (429, false), (500, false), (502, false), (503, false),
  ])
  func `is the other route where the status says that this one is missing`(
    status: Int, isSameHost: Bool
  ) {
    let next = ZhihuFailover.next(after: ImageError(.httpStatus, "x", status: status))

    switch next {
    case .sameHost: #expect(isSameHost)
    case .nextBase: #expect(!isSameHost)
    case .nothing: Issue.record("status \(status) ended the search")
    }
  }

  @Test(arguments: [
    ImageError.Code.notJSON, .notAFeed, .emptyBody, .notCached,
  ])
  func `is the other route where the response is another`(code: ImageError.Code) {
    if case .sameHost = ZhihuFailover.next(after: ImageError(code, "x")) { return }
    Issue.record("\(code)")
  }

  @Test(arguments: [ImageError.Code.timedOut, .connectionFailed, .connectionReset, .tooLarge])
  func `is the next base where this one cannot be used`(code: ImageError.Code) {
    if case .nextBase = ZhihuFailover.next(after: ImageError(code, "x")) { return }
    Issue.record("\(code)")
  }

  @Test(arguments: [ImageError.Code.diskFull, .storeFailed, .outOfMemory])
  func `is the end where no other base would help`(code: ImageError.Code) {
    if case .nothing = ZhihuFailover.next(after: ImageError(code, "x")) { return }
    Issue.record("\(code)")
  }

  @Test func `is reported by the first reason of each base that is more than an absence`() {
    var failover = ZhihuFailover()
    let missing = ImageError(.httpStatus, "HTTP 404", status: 404)

    failover.note(missing, from: "a")
    failover.note(ImageError(.timedOut, "late"), from: "a")
    failover.note(ImageError(.notJSON, "HTML"), from: "a")
    failover.note(missing, from: "b")
    failover.note(ImageError(.notCached, "not cached"), from: "b")
    let error = failover.summary(of: "day 20200616")

    #expect(error.code == .timedOut)
    #expect(error.message == "cannot get day 20200616 from a: late; b: HTTP 404")
  }

  @Test func `without any base is an error, too`() {
    let error = ZhihuFailover().summary(of: "latest")

    #expect(error.code == .dayNotFound)
    #expect(error.message.contains("no base URL"))
  }
}

@Suite struct `The turn of a request` {
  @Test func `comes to each of many, one at a time`() async throws {
    let turn = RequestTurn()
    let log = Locked<[Int]>([])
    let running = Locked(0)

    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await turn.take {
            let count = running.withLock { running in
              running += 1
              return running
            }
            #expect(count == 1)
            await Task.yield()
            log.withLock { $0.append(number) }
            running.withLock { $0 -= 1 }
          }
        }
      }
      try await group.waitForAll()
    }

    #expect(log.withLock { $0.sorted() } == Array(0..<20))
  }

  @Test func `goes to the next after a failure`() async throws {
    let turn = RequestTurn()

    await #expect(throws: ImageError.self) {
      try await turn.take { throw ImageError(.timedOut, "late") }
    }

    #expect(try await turn.take { 7 } == 7)
  }

  @Test func `is not used by a task that was cancelled, which keeps no other waiting`()
    async throws
  {
    let turn = RequestTurn()
    let isAsked = Locked(false)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await turn.take { isAsked.withLock { $0 = true } }
    }

    await #expect(throws: CancellationError.self) { try await task.value }

    #expect(!isAsked.withLock { $0 })
    #expect(try await turn.take { 7 } == 7)
  }
}

@Suite struct `The plan of days` {
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func `loads each day once, and all that were asked for`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for round in 0..<100 {
      let today = DayKey(ordinal: 20_000)
      let each = Int.random(in: 0..<5, using: &random)
      var expected: Set<DayKey> = []
      let requests = (0..<Int.random(in: 1..<5, using: &random)).map { _ -> DayRequest in
        let day = DayKey(ordinal: 19_990 + Int.random(in: 0..<10, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return .today
        case 1: return .yesterday
        case 2: return .day(day)
        default: return .range(day...day.advanced(by: Int.random(in: 0..<4, using: &random)))
        }
      }
      for case .day(let day) in requests.flatMap({ $0.queries(today: today) }) {
        for distance in 0..<max(1, each) { expected.insert(day.advanced(by: -distance)) }
      }

      var plan = DayPlan(requests, daysEach: each, today: today)
      var loaded: [DayKey] = []
      while let query = plan.next() {
        let left = plan.remainingCount
        if case .day(let day) = query {
          loaded.append(day)
          plan.note(day, answering: query)
        }
        #expect(plan.remainingCount == left, "seed \(seed), round \(round)")
      }

      #expect(Set(loaded) == expected && loaded.count == expected.count, "seed \(seed), \(round)")
    }
  }

  @Test func `goes back from the newest of the days that latest gave`() {
    let days = (0..<5).map { DayKey(ordinal: 20_000 - $0) }
    var plan = DayPlan([.latest, .day(days[3])], daysEach: 3, today: days[0])

    #expect(plan.next() == .latest)
    plan.note([days[2], days[0]], answering: .latest)

    var rest: [DayQuery] = []
    while let query = plan.next() { rest.append(query) }
    #expect(
      rest == [
        .day(days[3]), .day(days[4]), .day(days[3].advanced(by: -2)), .day(days[1]),
      ])
  }
}
