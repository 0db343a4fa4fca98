import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

@Suite struct `Animations` {
  /// Sixty frames with every disposal, offsets and transparency, and a key frame at 40.
  static let bytes: [UInt8] = {
    var gif = SampleImages.GIF(20, 16, loops: 1)
    for index in 0..<60 {
      if index == 40 {
        gif.add(20, 16, index: 3, disposal: 1)
        continue
      }
      gif.add(
        left: UInt8(index * 3 % 14), top: UInt8(index * 5 % 11), 6, 5, index: UInt8(index % 4),
        disposal: UInt8(index % 4), delay: UInt8(index % 7), transparent: index % 5 == 0 ? 2 : nil)
    }
    return gif.finished()
  }()

  static func sequential() throws -> [PixelBuffer] {
    try FrameReader(bytes.span.bytes).rest(of: bytes).map(\.pixels)
  }

  @Test(arguments: [0, 1280 * 20, 64 << 20])
  func `a seek gives the same frame as playing`(limit: Int) throws {
    let expected = try Self.sequential()
    let player = try AnimationPlayer(
      Self.bytes, content: "a", budget: FrameBudget(maximumByteCount: limit))

    var index = 7
    for _ in 0..<150 {
      index = (index * 31 + 17) % 60
      #expect(try player.frame(at: index) == expected[index], "frame \(index)")
    }
  }

  @Test func `a seek decodes only from the last cached canvas`() throws {
    // A budget for the checkpoints and little more.
    let budget = FrameBudget(maximumByteCount: 1280 * 6)
    let player = try AnimationPlayer(Self.bytes, content: "a", budget: budget)
    _ = try player.frame(at: 39)
    let before = player.drawnCount

    _ = try player.frame(at: 59)

    // Frame 40 covers the canvas: earlier frames need not be drawn.
    #expect(player.drawnCount - before == 20)
  }

  @Test func `two players of one image share frames within one budget`() throws {
    let budget = FrameBudget(maximumByteCount: 64 << 20)
    let one = try AnimationPlayer(Self.bytes, content: "a", budget: budget)
    let two = try AnimationPlayer(Self.bytes, content: "a", budget: budget)
    for index in 0..<60 { _ = try one.frame(at: index) }

    for index in 0..<60 { _ = try two.frame(at: index) }

    #expect(one.drawnCount == 60)
    #expect(two.drawnCount == 0)
  }

  @Test func `the budget covers all players together, and zero keeps one frame each`() throws {
    let budget = FrameBudget(maximumByteCount: 1280 * 10)
    let players = try (0..<3).map {
      try AnimationPlayer(Self.bytes, content: "\($0)", budget: budget)
    }
    for index in 0..<60 {
      for player in players { _ = try player.frame(at: index) }
      #expect(budget.byteCount <= 1280 * 10)
    }

    budget.setMaximumByteCount(0)
    #expect(budget.count == 0)
    let drawn = players[0].drawnCount
    #expect(try players[0].frame(at: 59) == Self.sequential()[59])
    #expect(players[0].drawnCount == drawn)
  }

  @Test func `a still image is an animation of one frame`() throws {
    let png = try ImageCodecs.encodePNG(SampleImages.gradient(9, 9))
    let player = try AnimationPlayer(png, content: "s", budget: FrameBudget(maximumByteCount: 0))

    #expect(try player.frame(after: .seconds(5)).pixels == SampleImages.gradient(9, 9))
    #expect(try player.frame(after: .seconds(5)).nextChange == nil)
    imageError { try player.frame(at: 1) }
  }

  @Test func `many threads may ask one player`() async throws {
    let expected = try Self.sequential()
    let player = try AnimationPlayer(
      Self.bytes, content: "a", budget: FrameBudget(maximumByteCount: 1280 * 8))

    try await withThrowingTaskGroup(of: Bool.self) { group in
      for start in 0..<8 {
        group.addTask {
          try (0..<30).allSatisfy { step in
            let index = (start * 7 + step * 11) % 60
            return try player.frame(at: index) == expected[index]
          }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }
}

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
