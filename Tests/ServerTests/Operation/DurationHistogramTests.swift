import Testing

@testable import HTTPListening

@Suite struct `A histogram of durations` {
  private func histogram(_ values: [Double]) -> Histogram {
    var histogram = Histogram()
    for value in values { histogram.add(value) }
    return histogram
  }

  @Test func `counts a duration at a bound below it`() {
    let histogram = histogram([0.0001, 0.00011, 10, 10.1])

    #expect(histogram.counts[0] == 1)
    #expect(histogram.counts[1] == 1)
    #expect(histogram.counts[15] == 1)
    #expect(histogram.counts[16] == 1)
  }

  @Test func `is the sum of its spans`() {
    let former = histogram([0.25, 1])
    let added = histogram([0.5, 20])
    var all = former

    all.add(added)

    #expect(all.count == 4)
    #expect(all.sum == 21.75)
    #expect(all.since(former).counts == added.counts)
    #expect(all.since(former).count == 2)
    #expect(all.since(former).sum == 20.5)
  }

  @Test func `counts everything after a restart`() {
    let former = histogram([0.001, 1, 1])
    let restarted = histogram([1])

    #expect(restarted.since(former) == restarted)
  }
}
