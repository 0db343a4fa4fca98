import ImagePipeline
import Testing

@testable import ReaderModel

@Suite struct `What lies over the page` {
  @Test(arguments: [(0, 5.0), (4, 5), (75, 5), (100, 6.5), (1000, 60.5)])
  func `a text shows 0,06 seconds a character and 0,5, and at least five`(
    length: Int, seconds: Double
  ) {
    #expect(abs(HUD().seconds(forTextOf: length) - seconds) < 1e-9)
  }

  @Test(arguments: [0, 6, 80]) func `with a maximum of 0,5 any text shows that long`(length: Int) {
    #expect(HUD.brief.seconds(forTextOf: length) == 0.5)
  }

  @Test func `the commented minimum of 0,4 leaves it to the length`() {
    let hud = HUD(minimumSeconds: 0.4)

    #expect(abs(hud.seconds(forTextOf: 6) - 0.86) < 1e-9)
    #expect(hud.seconds(forTextOf: 0) == 0.5)
  }

  @Test func `only the mask of none leaves the page usable and lets a tap take the notice away`() {
    #expect(HUD.MaskType.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    for mask in HUD.MaskType.allCases {
      let hud = HUD(mask: mask)
      #expect(mask.allowsInteraction == (mask == .none))
      #expect(hud.isDismissed(byTouchThatBegins: true) == (mask == .none))
      #expect(!hud.isDismissed(byTouchThatBegins: false))
    }
  }

  @Test func `it covers windows up to its level`() {
    let hud = HUD(level: .statusBar)

    #expect(HUD.Level.normal < .statusBar)
    #expect(HUD.Level.statusBar < .alert)
    #expect(HUD.Level.allCases.map(hud.covers) == [true, true, false])
  }

  @Test func `it comes and goes in 0,15 seconds`() {
    var display = HUDDisplay()
    display.show(at: .seconds(1))

    let coming = [1000, 1075, 1150, 9000].map { display.opacity(at: .milliseconds($0)) }
    display.finish(at: .seconds(10))
    let going = [10_000, 10_075, 10_150, 11_000].map { display.opacity(at: .milliseconds($0)) }

    #expect(coming == [0, 0.5, 1, 1])
    #expect(going == [1, 0.5, 0, 0])
  }

  @Test func `a text goes by itself, a load stays until it ends`() {
    var text = HUDDisplay()
    var load = HUDDisplay()
    text.show(textOf: 6, as: .brief, at: .zero)
    load.show(textOf: 6, as: HUD(minimumSeconds: .infinity), at: .zero)

    #expect(text.fadesAt == .milliseconds(500))
    #expect(text.opacity(at: .seconds(1)) == 0)
    #expect(load.fadesAt == nil)
    #expect(load.opacity(at: .seconds(3600)) == 1)
  }

  @Test func `what was never shown cannot be finished, and a second end does not prolong it`() {
    var hidden = HUDDisplay()
    var shown = HUDDisplay()
    shown.show(at: .zero)

    hidden.finish(at: .seconds(1))
    shown.finish(at: .seconds(1))
    shown.finish(at: .seconds(5))

    #expect(hidden == HUDDisplay())
    #expect(shown.fadesAt == .seconds(1))
  }

  @Test func `a notice shown again before it is gone does not blink`() {
    var display = HUDDisplay()
    display.show(at: .zero)
    display.finish(at: .seconds(1))

    display.show(at: .milliseconds(1050))

    #expect(display.opacity(at: .milliseconds(1050)) == 1)
  }

  @Test func `the listed paths forbid interaction, whatever stands around them`() {
    let policy = InteractionPolicy(forbidden: ["User/Login", "Store/Change"])

    let allowed = [
      "https://a.example/api/User/Login", "http://b.example:99/v2/api/User/Login?next=%2Fapi%2FX",
      "/api/Store/Change#top", "https://a.example/api/api/Store/Change",
      "/api/User/Login/", "/api/User", "/api/user/login", "https://a.example/User/Login",
      "https://a.example/api/Store/List", "", "/api/",
    ].map(policy.isAllowed)

    #expect(
      allowed == [false, false, false, false, true, true, true, true, true, true, true])
  }

  @Test func `what stands behind the last api counts`() {
    #expect(InteractionPolicy.path(of: "/api/a/api/b/c?d=/api/e") == "b/c")
    #expect(InteractionPolicy.path(of: "/api/") == "")
    #expect(InteractionPolicy.path(of: "/apix/a") == nil)
  }

  @Test func `each of the sixteen words forbids it where they are asked`() {
    let policy = InteractionPolicy(goesByKeywords: true)

    #expect(InteractionPolicy.keywords.count == 16)
    for word in InteractionPolicy.keywords {
      #expect(!policy.isAllowed("/api/Cache/\(word)All"))
      #expect(!policy.isAllowed("/api/\(word)"))
      #expect(InteractionPolicy().isAllowed("/api/\(word)"))
    }
    // Words, not letters: a Setting is not a Set, an Address no Add.
    #expect(policy.isAllowed("/api/Cache/Settings"))
    #expect(policy.isAllowed("/api/Address/List"))
  }

  @Test func `an empty list says why`() {
    #expect(EmptyState.reason(storyCount: 3, failure: nil) == nil)
    #expect(EmptyState.reason(storyCount: 3, failure: .unreachable) == nil)
    #expect(EmptyState.reason(storyCount: 0, failure: nil) == .noStories)
    #expect(EmptyState.reason(storyCount: nil, failure: nil) == .noDay)
    #expect(EmptyState.reason(storyCount: nil, failure: .status(404)) == .noDay)
    #expect(EmptyState.reason(storyCount: nil, failure: .status(500)) == .badAnswer)
    #expect(EmptyState.reason(storyCount: nil, failure: .unreadable) == .badAnswer)
    #expect(EmptyState.reason(storyCount: 0, failure: .unreachable) == .network)
  }

  @Test func `every reason has words of its own, and all but favourites can be tried again`() {
    let titles = EmptyState.allCases.map { $0.title.text(in: .english) }

    #expect(Set(titles).count == EmptyState.allCases.count)
    #expect(EmptyState.allCases.filter { !$0.offersReload } == [.noFavourites])
    #expect(EmptyState.network.exitStatus == 1)
    #expect(EmptyState.noFavourites.exitStatus == 0)
  }

  @Test func `the loading animation survives being written and read`() throws {
    let gif = try LoadingAnimation.gif()

    let strip = try LoadingAnimation.strip(of: gif)
    let info = try ImageCodecs.info(of: gif.span.bytes)
    let picture = try ImageCodecs.decode(strip.png.span.bytes)

    #expect(info.loopCount == 0)
    #expect(strip.delays == Array(repeating: 80, count: 12))
    #expect(strip.frameSize == PixelSize(width: 120, height: 120))
    #expect(picture.size == PixelSize(width: 1440, height: 120))
    for (index, frame) in LoadingAnimation.frames.enumerated() {
      for y in stride(from: 0, to: 120, by: 7) {
        for x in stride(from: 0, to: 120, by: 7) {
          #expect(picture[index * 120 + x, y] == frame.pixels[x, y])
        }
      }
    }
  }
}
