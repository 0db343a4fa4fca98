import Testing

@testable import HTTPListening

@Suite struct `The history of a server` {
  private func reading(
    _ seconds: Double, requests: Int, waiting: Int = 0, durations: [Double] = []
  ) -> StatusHistory.Reading {
    var reading = StatusHistory.Reading(seconds: seconds)
    reading.counts.figures.requests = requests
    reading.counts.figures.answers = ["memory": requests]
    for duration in durations { reading.counts.durations.add(duration) }
    reading.load.waiting["decode"] = waiting
    return reading
  }

  @Test func `a rate covers its time span, not the whole run`() {
    var history = StatusHistory(reading(0, requests: 0))
    for step in 1...90 { history.add(reading(Double(step) * 10, requests: step * 100)) }
    for step in 91...96 { history.add(reading(Double(step) * 10, requests: 9000)) }
    let now = reading(965, requests: 9005)

    let minute = history.figures(ofLast: 60, until: now)
    let hour = history.figures(ofLast: 3600, until: now)

    #expect(minute.requests == 5)
    #expect(minute.seconds == 65)
    #expect(hour.requests == 9005)
    #expect(hour.seconds == 965)
    #expect(history.age(at: now) == 965)
  }

  @Test func `after more than an hour the oldest samples are dropped`() {
    var history = StatusHistory(reading(0, requests: 0))
    for step in 1...1000 { history.add(reading(Double(step) * 10, requests: step)) }
    let now = reading(10_000, requests: 1000)

    #expect(history.figures(ofLast: 3600, until: now).requests == 360)
    let points = history.points(until: now)
    #expect(points.seconds.reduce(0, +) == 3600)
    #expect((120...121).contains(points.seconds.count))
    #expect(points.requests.reduce(0, +) == 360)
    #expect(points.waiting["decode"]?.count == points.seconds.count)
  }

  @Test func `a counter that decreased counts from zero, and so do durations`() {
    var history = StatusHistory(reading(0, requests: 500, durations: [0.2, 0.2]))
    history.add(reading(10, requests: 3, durations: [0.003]))
    let figures = history.figures(ofLast: 60, until: reading(10, requests: 3, durations: [0.003]))

    #expect(figures.requests == 3)
    #expect(figures.p99Seconds.map { $0 < 0.006 } == true)
  }

  @Test func `a clock that does not advance adds nothing`() {
    var history = StatusHistory(reading(100, requests: 1))
    history.add(reading(100, requests: 5))
    history.add(reading(50, requests: 9))

    #expect(history.points(until: reading(90, requests: 9)).seconds.isEmpty)
    #expect(history.figures(ofLast: 60, until: reading(100, requests: 9)).requestRate == 0)
    #expect(history.figures(ofLast: 60, until: reading(110, requests: 9)).requests == 8)
  }

  @Test func `a point covers three samples and their maximum load`() {
    var history = StatusHistory(reading(0, requests: 0))
    for (step, waiting) in [1, 7, 2, 0].enumerated() {
      history.add(reading(Double(step + 1) * 10, requests: step + 1, waiting: waiting))
    }
    let points = history.points(until: reading(45, requests: 5, waiting: 4))

    #expect(points.seconds == [30, 15])
    #expect(points.requests == [3, 2])
    #expect(points.waiting == ["decode": [7, 4]])
    #expect(points.p50Seconds == [nil, nil])
  }

  @Test func `the hit rate counts memory, disk and the shared tier among all images`() {
    var figures = ServerStatus.Figures()
    #expect(figures.hitShare == nil)
    figures.answers = ["memory": 6, "disk": 2, "shared": 1, "miss": 1]
    #expect(figures.hitShare == 0.9)
    figures.answers["miss"] = .max
    figures.answers["stale"] = .max
    #expect(figures.hitShare.map { $0 < 0.001 } == true)
  }
}
