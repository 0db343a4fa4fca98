import Testing

@testable import ReaderModel

@Suite struct `The carousel` {
  @Test func `five pictures lie in seven slots`() {
    let ring = CarouselRing(count: 5)

    #expect(ring.slots == [4, 0, 1, 2, 3, 4, 0])
    #expect(ring.firstSlot == 1)
  }

  @Test func `slot 0 stands for the last picture and slot n + 1 for the first`() {
    let ring = CarouselRing(count: 5)

    #expect(ring.settled(offset: 0, width: 375) == 5 * 375)
    #expect(ring.dot(slot: 0) == 4)
    #expect(ring.settled(offset: 6 * 375, width: 375) == 375)
    #expect(ring.dot(slot: 6) == 0)
    #expect((1...5).map { ring.dot(slot: $0) } == [0, 1, 2, 3, 4])
  }

  @Test(arguments: 0...12) func `any number of pictures goes round in both directions`(count: Int) {
    let ring = CarouselRing(count: count)

    let seen = [false, true].map { backwards in
      var slot = ring.firstSlot
      return (0..<max(count, 1) * 2).map { _ in
        let dot = ring.dot(slot: slot)
        slot = ring.settled(slot: ring.next(after: slot, backwards: backwards))
        return dot
      }
    }

    let round = count == 0 ? [nil] : (0..<count).map(Optional.init)
    #expect(seen[0] == round + round)
    let reversed = [round[0]] + round.dropFirst().reversed()
    #expect(seen[1] == reversed + reversed)
  }

  @Test(arguments: 0...12) func `a ghost shows the picture that it settles on`(count: Int) {
    let ring = CarouselRing(count: count)

    for slot in ring.slots.indices {
      #expect(ring.slots[slot] == ring.slots[ring.settled(slot: slot)])
      #expect(ring.dot(slot: slot) == ring.slots[slot])
    }
    #expect(Set(ring.slots).count == count)
    #expect(ring.slots.count == (count > 1 ? count + 2 : count))
  }

  @Test func `one picture has no ghosts, and none has no slot and no dot`() {
    #expect(CarouselRing(count: 1).slots == [0])
    #expect(CarouselRing(count: 1).settled(offset: 40, width: 375) == 0)
    #expect(CarouselRing(count: 0).slots == [])
    #expect(CarouselRing(count: 0).dot(offset: 0, width: 375) == nil)
    #expect(CarouselRing(count: -3) == CarouselRing(count: 0))
  }

  @Test func `the dot changes half way, and places outside the strip count as its ends`() {
    let ring = CarouselRing(count: 3)

    #expect(ring.dot(offset: 149, width: 100) == 0)
    #expect(ring.dot(offset: 150, width: 100) == 1)
    #expect(ring.dot(offset: -1e30, width: 100) == 2)
    #expect(ring.dot(offset: 1e30, width: 100) == 0)
    #expect(ring.settled(slot: -7) == 3)
    #expect(ring.settled(slot: 99) == 1)
  }

  @Test func `it moves every interval, and not while a finger is on it`() {
    var timer = CarouselTimer(count: 5, interval: .seconds(4))

    timer.start(at: .zero)
    let before = timer.takesStep(at: .milliseconds(3999))
    let due = timer.takesStep(at: .seconds(4))
    timer.stop()
    let held = timer.takesStep(at: .seconds(60))

    #expect((before, due, held) == (false, true, false))
  }

  @Test func `it starts again 0,4 seconds after it came to rest`() {
    var timer = CarouselTimer(count: 5, interval: .seconds(4))

    timer.cameToRest(at: .seconds(10))

    #expect(timer.nextStep == .milliseconds(14_400))
  }

  @Test func `a long sleep is one step, not many`() {
    var timer = CarouselTimer(count: 5, interval: .seconds(4))
    timer.start(at: .zero)

    let steps = (0..<3).map { _ in timer.takesStep(at: .seconds(3600)) }

    #expect(steps == [true, false, false])
  }

  @Test(arguments: [0, 1]) func `fewer than two pictures never move`(count: Int) {
    var timer = CarouselTimer(count: count)

    timer.start(at: .zero)
    timer.cameToRest(at: .zero)

    #expect(timer.nextStep == nil)
  }

  @Test func `the banner moves with the list and stretches by at most 60 when it is pulled`() {
    #expect(BannerFrame(offset: 0) == BannerFrame(offset: -0.0))
    #expect(BannerFrame(offset: 0).height == 220)
    #expect(BannerFrame(offset: 100).top == -100)
    #expect(BannerFrame(offset: 100).height == 220)
    #expect(BannerFrame(offset: -40).top == 0)
    #expect(BannerFrame(offset: -40).height == 260)
    #expect(BannerFrame(offset: -500).height == 280)
  }

  @Test func `a white picture is shaded until its title has the contrast that WCAG asks for`() {
    let white = TitleShade.alpha(over: [255, 255, 255])
    let dark = TitleShade.alpha(over: [10, 20, 30])

    #expect(white > TitleShade.usualAlpha)
    #expect(dark == TitleShade.usualAlpha)
    #expect(TitleShade.alpha(over: nil) == TitleShade.usualAlpha)
    #expect(TitleShade.alpha(over: [1, 2]) == TitleShade.usualAlpha)
  }

  @Test func `every colour gets the contrast`() {
    for red in stride(from: 0, through: 255, by: 51) {
      for green in stride(from: 0, through: 255, by: 51) {
        for blue in stride(from: 0, through: 255, by: 51) {
          let alpha = TitleShade.alpha(over: [red, green, blue])
          let shaded = [red, green, blue].map { Double($0) * (1 - alpha) + 51 * alpha }
          #expect(1.05 / (TitleShade.luminance(shaded) + 0.05) >= 4.5)
        }
      }
    }
  }

  @Test func `luminance is that of the standard`() {
    // WCAG: white is 1, black 0, and the three primaries are their coefficients.
    #expect(abs(TitleShade.luminance([255, 255, 255]) - 1) < 1e-12)
    #expect(TitleShade.luminance([0, 0, 0]) == 0)
    #expect(abs(TitleShade.luminance([255, 0, 0]) - 0.2126) < 1e-12)
    // 50 % gray of sRGB, known from tables.
    #expect(abs(TitleShade.luminance([128, 128, 128]) - 0.215_860_5) < 1e-6)
  }
}
