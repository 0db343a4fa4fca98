import Testing

@testable import imgcache

@Suite struct `The progress of a body` {
  @Test func `has the percentage and the time left if the length is known`() {
    let body = BodyProgress(receivedByteCount: 1 << 20, expectedByteCount: 4 << 20)

    #expect(
      body.line(byteRate: 524_288, columns: 80)
        == "[#######-----------------------] 1 MiB of 4 MiB, 25 %, 512 KiB/s, 6 s left")
    #expect(
      BodyProgress(receivedByteCount: 2048, expectedByteCount: nil).line(byteRate: 0, columns: 80)
        == "2 KiB, 0 B/s")
  }

  @Test(arguments: [0, -5, 7, .max], [nil, 0, 1, 7, Int.max])
  func `false lengths neither crash nor pass 100 %`(received: Int, expected: Int?) {
    let body = BodyProgress(receivedByteCount: received, expectedByteCount: expected)

    for rate in [0, 1e-9, 1, 1e18] {
      for columns in [1, 20, 60, 200] {
        #expect(body.line(byteRate: rate, columns: columns).count <= columns)
      }
    }
    #expect((0...1).contains(body.share ?? 0))
  }

  @Test func `the rate is that of the last seconds`() {
    var rate = RecentRate()

    #expect(rate.record(0, at: .zero) == 0)
    #expect(rate.record(1000, at: .seconds(1)) == 1000)
    for step in 1...100 { _ = rate.record(1000, at: .seconds(1) + .milliseconds(10 * step)) }
    #expect(rate.record(1000, at: .seconds(2)) == 500)
    #expect(rate.record(1000, at: .seconds(10)) == 0)
    #expect(rate.record(10, at: .seconds(10)) == 0)
  }
}
