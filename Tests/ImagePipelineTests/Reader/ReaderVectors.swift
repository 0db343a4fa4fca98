import Foundation
import ImageFeeds
import ImagePipeline

@testable import ReaderModel

/// What the Swift values answer, as JSON, for the page's script to be held against: `{"name": [{"in": […],
/// "out": …}]}`. Made anew on each run, so the two cannot drift apart.
enum ReaderVectors {
  /// One question and its answer.
  struct Vector {
    let input: [Any]
    let output: Any
  }

  static func json() throws -> String {
    var table: [String: [[String: Any]]] = [:]
    for (name, vectors) in all() {
      table[name] = vectors.map { ["in": $0.input, "out": $0.output] }
    }
    let data = try JSONSerialization.data(withJSONObject: table, options: .sortedKeys)
    return String(decoding: data, as: UTF8.self)
  }

  private static func all() -> [String: [Vector]] {
    carousel().merging(refresh()) { $1 }.merging(machines()) { $1 }.merging(pages()) { $1 }
      .merging(overlays()) { $1 }
  }

  private static func orNull(_ value: Any?) -> Any { value ?? NSNull() }

  private static let offsets: [Double] = [
    -1e6, -120, -66, -65.5, -65, -64.5, -61, -60, -41, -40, -39, -20, -1, -0.25, 0, 0.25, 1, 16, 32,
    63, 64, 65, 100, 1000,
  ]

  private static func carousel() -> [String: [Vector]] {
    var table: [String: [Vector]] = [:]
    for count in -1...7 {
      let ring = CarouselRing(count: count)
      table["carouselSlots", default: []].append(Vector(input: [count], output: ring.slots))
      for slot in -2...9 {
        table["carouselSettledSlot", default: []].append(
          Vector(input: [count, slot], output: ring.settled(slot: slot)))
        table["carouselDotAtSlot", default: []].append(
          Vector(input: [count, slot], output: orNull(ring.dot(slot: slot))))
        for backwards in [false, true] {
          table["carouselNext", default: []].append(
            Vector(
              input: [count, slot, backwards], output: ring.next(after: slot, backwards: backwards))
          )
        }
      }
      for offset in stride(from: -375.0, through: 3375, by: 93.75) {
        table["carouselSettledOffset", default: []].append(
          Vector(input: [count, offset, 375], output: ring.settled(offset: offset, width: 375)))
        table["carouselDotAtOffset", default: []].append(
          Vector(
            input: [count, offset, 375], output: orNull(ring.dot(offset: offset, width: 375))))
      }
    }
    for offset in offsets {
      let frame = BannerFrame(offset: offset)
      table["bannerFrame", default: []].append(
        Vector(input: [offset], output: [frame.top, frame.height]))
    }
    for red in stride(from: 0, through: 255, by: 85) {
      for green in stride(from: 0, through: 255, by: 51) {
        for blue in stride(from: 0, through: 255, by: 85) {
          table["shadeAlpha", default: []].append(
            Vector(
              input: [[red, green, blue]], output: TitleShade.alpha(over: [red, green, blue])))
        }
      }
    }
    table["shadeAlpha", default: []].append(
      Vector(input: [NSNull()], output: TitleShade.usualAlpha))
    return table
  }

  private static func refresh() -> [String: [Vector]] {
    var table: [String: [Vector]] = [:]
    for offset in offsets {
      table["ringProgress", default: []].append(
        Vector(input: [offset], output: RefreshRing.progress(offset: offset)))
      table["ringClamped", default: []].append(
        Vector(input: [offset], output: RefreshRing.clamped(offset: offset)))
      table["topBarAlpha", default: []].append(
        Vector(input: [offset], output: TopBarFade.alpha(offset: offset)))
      for content in [0.0, 400, 600, 601] {
        table["isBeyondEnd", default: []].append(
          Vector(
            input: [offset, 600, content],
            output: LoadBefore.isBeyondEnd(offset: offset, height: 600, contentHeight: content)))
      }
    }
    for done in -1...6 {
      for total in -1...5 {
        table["ringProgressOf", default: []].append(
          Vector(input: [done, total], output: RefreshRing.progress(done: done, total: total)))
      }
    }
    for count in [0, 1, 3, 6, 20] {
      for size in [nil, 6, 0] as [Int?] {
        table["storiesAdded", default: []].append(
          Vector(
            input: [count, orNull(size)], output: LoadBefore.stories(of: count, pageSize: size)))
      }
    }
    for hour in 0..<24 {
      for language in ReaderLanguage.allCases {
        let moment = LastUpdated.Moment(
          year: 1999 + hour, month: 1 + hour % 12, day: 1 + hour, hour: hour, minute: hour * 2)
        table["lastUpdated", default: []].append(
          Vector(
            input: [
              [moment.year, moment.month, moment.day, moment.hour, moment.minute],
              language.rawValue,
            ],
            output: orNull(LastUpdated.text(moment, in: language))))
      }
    }
    table["lastUpdated", default: []].append(Vector(input: [NSNull(), "zh"], output: NSNull()))
    for (width, height) in [(375.0, 600.0), (1280, 720), (0, 0)] {
      let frame = SpinnerFrame(width: width, height: height)
      table["spinnerFrame", default: []].append(
        Vector(input: [width, height], output: [frame.x, frame.y]))
    }
    return table
  }

  /// Random walks through the state machines: events in, what is seen after each out.
  private static func machines() -> [String: [Vector]] {
    var table: [String: [Vector]] = [:]
    var random = SplitMix64(seed: 5)
    func pick<Value>(_ values: [Value]) -> Value {
      values[Int(random.next() % UInt64(values.count))]
    }

    for _ in 0..<60 {
      var (events, seen): ([Any], [Any]) = ([], [])
      var header = PullRefresh()
      for _ in 0..<20 {
        let (offset, drag, busy) = (
          pick(offsets), pick([true, false]), pick([false, false, true])
        )
        var triggered: Any = NSNull()
        switch pick([0, 0, 0, 1, 2]) {
        case 0:
          header.scrolled(to: offset, isDragging: drag, sourceIsLoading: busy)
          events.append(["scroll", offset, drag, busy])
        case 1:
          triggered = header.released(at: offset, sourceIsLoading: busy)
          events.append(["release", offset, busy])
        default:
          header.finished()
          events.append(["finish"])
        }
        seen.append([
          header.state.rawValue, header.inset, header.arrowAngle, header.hidesArrow,
          header.text.rawValue, triggered,
        ])
      }
      table["pullRefresh", default: []].append(Vector(input: [events], output: seen))
    }

    for _ in 0..<40 {
      var (events, seen): ([Any], [Any]) = ([], [])
      var ring = RefreshRing()
      for time in stride(from: 0, to: 12_000, by: 700) {
        let (offset, drag) = (pick(offsets), pick([true, false]))
        var answer: Any = NSNull()
        switch pick([0, 0, 1, 2]) {
        case 0:
          answer = ring.scrolled(to: offset, isDragging: drag, at: .milliseconds(time))
          events.append(["scroll", offset, drag, time])
        case 1:
          answer = ring.end(finishedAt: .milliseconds(time)) / .milliseconds(1)
          events.append(["end", time])
        default:
          ring.stopped()
          events.append(["stop"])
        }
        seen.append([ring.isRefreshing, ring.progress(offset: offset), answer])
        events[events.count - 1] = (events[events.count - 1] as? [Any] ?? []) + [offset]
      }
      table["refreshRing", default: []].append(Vector(input: [events], output: seen))
    }

    for _ in 0..<40 {
      var (events, seen): ([Any], [Any]) = ([], [])
      var list = LoadBefore()
      for _ in 0..<12 {
        var asks: Any = NSNull()
        if pick([true, true, false]) {
          let offset = pick([0.0, 399, 400, 400.5, 900])
          asks = list.scrolled(offset: offset, height: 600, contentHeight: 1000)
          events.append(["scroll", offset, 600, 1000])
        } else {
          let isLast = pick([true, false, false, false])
          list.finished(isLast: isLast)
          events.append(["finish", isLast])
        }
        seen.append([list.isLoading, list.isAtEnd, asks])
      }
      table["loadBefore", default: []].append(Vector(input: [events], output: seen))
    }

    for count in [0, 1, 2, 5] {
      for _ in 0..<20 {
        var (events, seen): ([Any], [Any]) = ([], [])
        var timer = CarouselTimer(count: count, interval: .milliseconds(4000))
        for time in stride(from: 0, to: 30_000, by: 1300) {
          var steps: Any = NSNull()
          switch pick([0, 1, 2, 3, 3, 3]) {
          case 0:
            timer.start(at: .milliseconds(time))
            events.append(["start", time])
          case 1:
            timer.stop()
            events.append(["stop"])
          case 2:
            timer.cameToRest(at: .milliseconds(time))
            events.append(["rest", time])
          default:
            steps = timer.takesStep(at: .milliseconds(time))
            events.append(["step", time])
          }
          seen.append([orNull(timer.nextStep.map { $0 / .milliseconds(1) }), steps])
        }
        table["carouselTimer", default: []].append(
          Vector(input: [count, 4000, events], output: seen))
      }
    }

    for _ in 0..<40 {
      var (events, seen): ([Any], [Any]) = ([], [])
      var display = HUDDisplay()
      for time in stride(from: 0, to: 3000, by: 75) {
        switch pick([0, 1, 2, 2, 3, 3, 3, 3, 3]) {
        case 0:
          display.show(at: .milliseconds(time))
          events.append(["show", time])
        case 1:
          display.show(textOf: 6, as: .brief, at: .milliseconds(time))
          events.append(["text", 500, time])
        case 2:
          display.finish(at: .milliseconds(time))
          events.append(["finish", time])
        default:
          events.append(["look", time])
        }
        seen.append(display.opacity(at: .milliseconds(time)))
      }
      table["hudDisplay", default: []].append(Vector(input: [events], output: seen))
    }
    return table
  }

  private static func pages() -> [String: [Vector]] {
    var table: [String: [Vector]] = [:]
    for from in 0..<5 {
      for to in 0..<5 {
        table["pagePath", default: []].append(
          Vector(input: [from, to], output: PageSwitch.path(from: from, to: to)))
        let action: Any =
          switch PageSwitch.action(current: from, tapped: to) {
          case .scrollToTop: "top"
          case .visit(let pages): pages
          }
        table["pageAction", default: []].append(Vector(input: [from, to], output: action))
        table["keptPages", default: []].append(
          Vector(input: [from, to], output: PageSwitch.kept(current: from, pageCount: to)))
      }
    }
    for offset in stride(from: 0.0, through: 750, by: 62.5) {
      for count in 1...5 {
        table["indicatorOffset", default: []].append(
          Vector(
            input: [75, offset, 375, count],
            output: PageSwitch.indicatorOffset(
              start: 75, contentOffset: offset, width: 375, pageCount: count)))
        table["pageAt", default: []].append(
          Vector(
            input: [offset * 3 - 200, 375, count],
            output: PageSwitch.page(contentOffset: offset * 3 - 200, width: 375, pageCount: count)))
      }
    }
    let today = DayKey(ordinal: 20_697)
    for offset in -800...3 {
      for language in ReaderLanguage.allCases {
        let day = today.advanced(by: offset)
        table["dayLabel", default: []].append(
          Vector(
            input: [day.description, today.description, language.rawValue],
            output: DayLabel.text(for: day, today: today, in: language)))
      }
    }
    for row in -1...20 {
      for perDay in [0, 1, 3, 6] {
        table["dateIndex", default: []].append(
          Vector(
            input: [row, perDay], output: orNull(DayLabel.dateIndex(row: row, perDay: perDay))))
      }
    }
    for url in [nil, "https://a.example/1"] as [String?] {
      for share in [nil, "https://a.example/2"] as [String?] {
        for id in ["9710", "", "x", "1 2"] {
          table["storyLink", default: []].append(
            Vector(
              input: [orNull(url), orNull(share), id],
              output: orNull(StoryCell.link(url: url, shareURL: share, id: id))))
        }
      }
    }
    for count in 0...3 {
      table["titleTakesFullWidth", default: []].append(
        Vector(input: [count], output: StoryCell.titleTakesFullWidth(pictureCount: count)))
      for isMultipic in [true, false] {
        table["showsBadge", default: []].append(
          Vector(
            input: [count, isMultipic],
            output: StoryCell.showsBadge(pictureCount: count, isMultipic: isMultipic)))
      }
    }
    return table
  }

  private static func overlays() -> [String: [Vector]] {
    var table: [String: [Vector]] = [:]
    for length in [0, 1, 6, 75, 100, 1000] {
      for minimum in [0, 0.4, 5] {
        for maximum in [nil, 0.5, 60] as [Double?] {
          let hud = HUD(minimumSeconds: minimum, maximumSeconds: maximum ?? .infinity)
          table["hudSeconds", default: []].append(
            Vector(
              input: [length, minimum, orNull(maximum)], output: hud.seconds(forTextOf: length)))
        }
      }
    }
    for mask in HUD.MaskType.allCases {
      table["hudAllowsInteraction", default: []].append(
        Vector(input: [mask.rawValue], output: mask.allowsInteraction))
      for begins in [true, false] {
        table["hudIsDismissed", default: []].append(
          Vector(
            input: [mask.rawValue, begins],
            output: HUD(mask: mask).isDismissed(byTouchThatBegins: begins)))
      }
    }
    for level in HUD.Level.allCases {
      for window in HUD.Level.allCases {
        table["hudCovers", default: []].append(
          Vector(
            input: [level.rawValue, window.rawValue], output: HUD(level: level).covers(window)))
      }
    }
    var info = ImageInfo(
      format: .gif, size: PixelSize(width: 1, height: 1), colorModel: .palette)
    info.loopCount = 0
    for delays in [[80, 80, 80], [100, 20, 40], [70]] {
      info.rawDelays = delays.map { .milliseconds($0) }
      for time in stride(from: -40, to: 700, by: 10) {
        table["animationFrame", default: []].append(
          Vector(
            input: [delays, time],
            output: AnimationTimeline(info).position(after: .milliseconds(time)).index))
      }
    }
    for url in [
      "/api/Day/Refresh", "https://a.example/api/Day/Refresh?x=/api/y", "/api/api/Day/Refresh#z",
      "/api/Day", "/api/", "/Day/Refresh", "", "/api/Cache/DeleteAll", "/api/Settings/Get",
      "/api/a/set", "/api/a/Set_b", "/api/Address",
    ] {
      for goesByKeywords in [true, false] {
        let policy = InteractionPolicy(forbidden: ["Day/Refresh"], goesByKeywords: goesByKeywords)
        table["isInteractionAllowed", default: []].append(
          Vector(
            input: [url, ["Day/Refresh"], goesByKeywords], output: policy.isAllowed(url)))
      }
    }
    for count in [nil, 0, 4] as [Int?] {
      let failures: [(EmptyState.Failure?, Any)] = [
        (nil, NSNull()), (.status(404), 404), (.status(500), 500), (.unreachable, "unreachable"),
        (.unreadable, "unreadable"),
      ]
      for (failure, name) in failures {
        table["emptyReason", default: []].append(
          Vector(
            input: [orNull(count), name],
            output: orNull(EmptyState.reason(storyCount: count, failure: failure)?.rawValue)))
      }
    }
    return table
  }
}
