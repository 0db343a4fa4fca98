import ImageCodecs
import ImageModel
import Testing

@Suite struct `The timeline of an animation` {
  /// The frame at a time in milliseconds, found by playing.
  static func played(
    _ delays: [Int], loops: Int, until time: Int
  ) -> (index: Int, nextChange: Int?) {
    var end = 0
    var play = 1
    while true {
      for (index, delay) in delays.enumerated() {
        end += delay <= 10 ? 100 : delay
        let isLast = loops > 0 && play == loops && index == delays.count - 1
        if isLast { return (index, nil) }
        if time < end { return (index, end) }
      }
      play += 1
    }
  }

  @Test(arguments: 0..<30)
  func `is that of playing it`(seed: Int) {
    var random = SplitMix64(seed: UInt64(seed))
    func number(_ limit: Int) -> Int { Int(random.next() % UInt64(limit)) }
    let delays = (0..<2 + number(6)).map { _ in [0, 9, 10, 11, 50, 1000][number(6)] }
    var info = ImageInfo(format: .gif, size: PixelSize(width: 1, height: 1), colorModel: .palette)
    info.rawDelays = delays.map { .milliseconds($0) }
    info.loopCount = number(4)
    let timeline = AnimationTimeline(info)
    let total = delays.reduce(0) { $0 + ($1 <= 10 ? 100 : $1) }

    #expect(timeline.playDuration == .milliseconds(total))
    for _ in 0..<60 {
      let time = number(5 * total) - 5
      let expected = Self.played(delays, loops: info.loopCount, until: time)

      let position = timeline.position(after: .milliseconds(time))

      let place = "seed \(seed): \(delays), \(info.loopCount) loops, after \(time) ms"
      #expect(position.index == expected.index, "\(place)")
      #expect(position.nextChange == expected.nextChange.map { .milliseconds($0) }, "\(place)")
    }
  }

  @Test func `is exact after thousands of years`() {
    var info = ImageInfo(format: .gif, size: PixelSize(width: 1, height: 1), colorModel: .palette)
    info.rawDelays = [.milliseconds(20), .milliseconds(30)]
    info.loopCount = 0
    let begin = Duration.seconds(Int64(1) << 40)

    let late = AnimationTimeline(info).position(after: begin + .milliseconds(25))

    #expect(late.index == 1)
    #expect(late.nextChange == begin + .milliseconds(50))
  }
}
