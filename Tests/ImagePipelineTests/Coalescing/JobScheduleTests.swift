import Testing

@testable import ImageModel
@testable import LoadScheduling

@Suite struct `A job schedule` {
  private func expect(
    _ schedule: inout JobSchedule, starts expected: [UInt64],
    at location: SourceLocation = #_sourceLocation
  ) {
    var started: [UInt64] = []
    while let id = schedule.next() { started.append(id) }
    #expect(started == expected, sourceLocation: location)
  }

  @Test func `a job starts at once only where nothing waits and every limit permits it`() {
    var schedule = JobSchedule(maximumRunning: 3, maximumPerHost: 2, reservedForForeground: 1)

    let prefetches = [
      schedule.begin(1, priority: .prefetch, host: "a"),
      schedule.begin(2, priority: .prefetch, host: "b"),
      schedule.begin(3, priority: .prefetch, host: "c"),
    ]
    #expect(prefetches == [true, true, false])
    #expect(schedule.runningCount == 2 && schedule.pendingCount == 0)
    schedule.finish(2)
    let second = schedule.begin(4, priority: .normal, host: "a")
    let third = schedule.begin(5, priority: .normal, host: "a")
    #expect(second && !third)
    schedule.add(5, priority: .normal, host: "a")
    expect(&schedule, starts: [])
    let ahead = schedule.begin(6, priority: .high, host: "b")
    #expect(!ahead)
    schedule.finish(1)
    expect(&schedule, starts: [5])
    let last = schedule.begin(6, priority: .high, host: "b")
    #expect(last)
    #expect(schedule.runningCount == 3)
  }

  @Test func `keeps the order of a host's jobs while other jobs take the free slots`() {
    var schedule = JobSchedule(maximumRunning: 2, maximumPerHost: 2)
    for id in 1...5 { schedule.add(UInt64(id), priority: .normal, host: "a") }
    expect(&schedule, starts: [1, 2])

    for (finished, urgent) in [(1, 11), (2, 12)] {
      schedule.add(UInt64(urgent), priority: .high, host: "b")
      schedule.finish(UInt64(finished))
      expect(&schedule, starts: [UInt64(urgent)])
    }
    schedule.finish(11)
    schedule.finish(12)

    expect(&schedule, starts: [3, 4])
  }

  @Test func `holds back a host with a limit of zero and releases it again`() {
    var schedule = JobSchedule(maximumRunning: 9, maximumPerHost: 2)
    schedule.setLimit(0, for: "a")
    for id in 1...3 { schedule.add(UInt64(id), priority: .normal, host: "a") }
    schedule.add(4, priority: .normal, host: "b")
    expect(&schedule, starts: [4])

    schedule.setPriority(.high, of: 3, host: "a")
    schedule.setLimit(nil, for: "a")

    expect(&schedule, starts: [3, 1])
  }

  @Test func `keeps its invariants under many random operations`() {
    var generator = SplitMix64(seed: 7)
    var schedule = JobSchedule(maximumRunning: 8, maximumPerHost: 3, reservedForForeground: 3)
    var host: [UInt64: String] = [:]
    var priority: [UInt64: LoadPriority] = [:]
    var waiting: Set<UInt64> = []
    var running: Set<UInt64> = []

    for id in 1...UInt64(5_000) {
      host[id] = ["a", "b", "c", "d"][Int(generator.next() % 4)]
      priority[id] = LoadPriority.allCases[Int(generator.next() % 4)]
      schedule.add(id, priority: priority[id] ?? .normal, host: host[id])
      waiting.insert(id)
      switch generator.next() % 5 {
      case 0, 1, 2:
        if let done = running.min() {
          schedule.finish(done)
          running.remove(done)
        }
      case 3:
        if let some = waiting.max() {
          let wasWaiting = schedule.cancel(some, host: host[some])
          #expect(wasWaiting)
          waiting.remove(some)
        }
      default:
        if let some = waiting.union(running).min() {
          priority[some] = LoadPriority.allCases[Int(generator.next() % 4)]
          schedule.setPriority(priority[some] ?? .normal, of: some, host: host[some])
        }
      }
      while let next = schedule.next() {
        let wasWaiting = waiting.remove(next) != nil
        #expect(wasWaiting)
        running.insert(next)
        let peers = running.filter { host[$0] == host[next] }
        #expect(peers.count <= 3)
        #expect(running.count <= 8)
        if priority[next] == .prefetch {
          #expect(running.filter { priority[$0] == .prefetch }.count <= 5)
        }
      }
    }
    #expect(schedule.pendingCount == waiting.count)
    #expect(schedule.runningCount == running.count)
  }
}
