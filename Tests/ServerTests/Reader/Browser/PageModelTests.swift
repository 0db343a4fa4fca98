import Foundation
import ImageFeeds
import Testing

@testable import HTTPListening
@testable import ImageCodecs
@testable import ThumbnailServer
@testable import TestSupport

/// How the page behaves is known by its script alone; the cases are data, and a browser runs it.
@Suite(.needsBrowser)
struct `The page's model` {
  // MARK: The carousel

  @Test func `the carousel goes round, by itself, under titles that can be read`() async throws {
    try await PageModel.expect([
      // n pictures are in n + 2 slots, and one needs no ghosts.
      "carouselSlots(5)": "[4,0,1,2,3,4,0]", "carouselSlots(2)": "[1,0,1,0]",
      "carouselSlots(1)": "[0]", "carouselSlots(0)": "[]", "carouselSlots(-3)": "[]",
      "range(2, 12).map((count) => carouselSlots(count).length)": "[4,5,6,7,8,9,10,11,12,13,14]",
      // Slot 0 stands for the last picture and slot n + 1 for the first.
      "range(-2, 9).map((slot) => carouselSettledSlot(5, slot))": "[5,5,5,1,2,3,4,5,1,1,1,1]",
      "range(-2, 9).map((slot) => carouselDotAtSlot(5, slot))": "[4,4,4,0,1,2,3,4,0,0,0,0]",
      "range(-2, 4).map((slot) => carouselSettledSlot(2, slot))": "[2,2,2,1,2,1,1]",
      "range(-2, 3).map((slot) => carouselSettledSlot(1, slot))": "[0,0,0,0,0,0]",
      "range(-2, 3).map((slot) => carouselDotAtSlot(1, slot))": "[0,0,0,0,0,0]",
      "range(-2, 3).map((slot) => carouselDotAtSlot(0, slot))": "[null,null,null,null,null,null]",
      // Any number of pictures goes round in both directions.
      """
      failing(range(2, 12), (count) => [false, true].every((backwards) => {
        let slot = 1;
        const seen = range(1, count * 2).map(() => {
          const dot = carouselDotAtSlot(count, slot);
          slot = carouselSettledSlot(count, carouselNext(count, slot, backwards));
          return dot;
        });
        const once = range(0, count - 1).map((step) => (backwards ? (count - step) % count : step));
        return String(seen) === String([...once, ...once]);
      }))
      """: "[]", "range(0, 6).map((slot) => carouselNext(5, slot))": "[6,2,3,4,5,6,2]",
      "range(0, 6).map((slot) => carouselNext(5, slot, true))": "[4,0,1,2,3,4,0]",
      "[0, 1].map((count) => carouselNext(count, 3))": "[0,0]",
      // A ghost shows the picture that it settles on.
      """
      failing(range(0, 12), (count) => carouselSlots(count).every((picture, slot, slots) =>
        picture === slots[carouselSettledSlot(count, slot)]
          && picture === carouselDotAtSlot(count, slot)))
      """: "[]",
      "failing(range(0, 12), (count) => new Set(carouselSlots(count)).size === count)": "[]",
      // The dot changes half way, and places outside the strip count as its ends.
      "[0, 49, 50, 149, 150, 250, 349, 350, 450].map((x) => carouselDotAtOffset(3, x, 100))":
        "[2,2,0,0,1,2,2,0,0]", "[-1e30, 1e30].map((x) => carouselDotAtOffset(3, x, 100))": "[2,0]",
      "[-90, 0, 90].map((x) => carouselDotAtOffset(1, x, 100))": "[0,0,0]",
      "carouselDotAtOffset(0, 0, 100)": "null", "carouselDotAtOffset(-1, 0, 100)": "null",
      // It moves every four seconds, and not while a finger is on it.
      """
      walk(new CarouselTimer(5), ['takesStep', 0], ['start', 0], ['takesStep', 3999],
        ['takesStep', 4000], ['takesStep', 7999], ['takesStep', 8000], ['stop'], ['takesStep', 60000])
      """: "[false,null,false,true,false,true,null,false]",
      """
      watch(new CarouselTimer(5), (timer) => timer.nextStep, ['start', 100], ['start', 300], ['stop'],
        ['cameToRest', 10000])
      """: "[4100,4300,null,14400]",
      // A long sleep is one step, not many.
      """
      walk(new CarouselTimer(5), ['start', 0], ['takesStep', 3600000], ['takesStep', 3600000],
        ['takesStep', 3603999], ['takesStep', 3604000])
      """: "[null,true,false,false,true]",
      // Fewer than two pictures never move.
      """
      [0, 1, 2].map((count) => watch(new CarouselTimer(count), (timer) => timer.nextStep,
        ['start', 0], ['cameToRest', 0]))
      """: "[[null,null],[null,null],[4000,4400]]",
      "[0, 1].map((count) => walk(new CarouselTimer(count), ['start', 0], ['takesStep', 9000]))":
        "[[null,false],[null,false]]",
      // Every colour is shaded until its title has the contrast that WCAG asks for.
      """
      failing(range(0, 255, 51).flatMap((red) => range(0, 255, 51).flatMap((green) =>
        range(0, 255, 51).map((blue) => [red, green, blue]))), (color) => {
          const alpha = shadeAlpha(color);
          const shaded = color.map((sample) => sample * (1 - alpha) + 51 * alpha);
          const least = alpha === 0.6 || 1.05 / (luminance(color.map((sample) =>
            sample * (1.05 - alpha) + 51 * (alpha - 0.05))) + 0.05) < 4.5;
          return 1.05 / (luminance(shaded) + 0.05) >= 4.5 && least;
        })
      """: "[]", "shadeAlpha([255, 255, 255])": "0.7", "shadeAlpha([10, 20, 30])": "0.6",
      "[null, undefined, [1, 2]].map(shadeAlpha)": "[0.6,0.6,0.6]",
      // Luminance is that of the standard.
      // WCAG: white is 1, black 0, and the three primaries are their coefficients.
      "luminance([255, 255, 255]).toFixed(12)": "'1.000000000000'", "luminance([0, 0, 0])": "0",
      "luminance([255, 0, 0]).toFixed(4)": "'0.2126'",
      "luminance([0, 255, 0]).toFixed(4)": "'0.7152'",
      "luminance([0, 0, 255]).toFixed(4)": "'0.0722'",
      // 50 % gray of sRGB, known from tables.
      "luminance([128, 128, 128]).toFixed(7)": "'0.2158605'",
    ])
  }

  // MARK: Refreshing

  @Test func `the ring and the lists say when to load, and what they show meanwhile`() async throws
  {
    try await PageModel.expect([
      // Each state has its text in both languages.
      "['pulling', 'normal', 'loading'].map((state) => header(state).text)":
        "['releaseToRefresh','pullToRefresh','loading']"
    ])
    let texts = [ReaderText.releaseToRefresh, .pullToRefresh, .loading]

    #expect(texts.map { $0.text(in: .chinese) } == ["松开即可刷新", "下拉可以刷新", "加载中..."])
    #expect(
      texts.map { $0.text(in: .english) }
        == ["Release to refresh...", "Pull down to refresh...", "Loading..."])
  }

  @Test func `the ring closes over 40, and the list can be pulled by 60`() async throws {
    try await PageModel.expect([
      "[10, 0, -10, -20, -40, -60, -1e9].map((y) => new RefreshRing().progress(y))":
        "[0,0,0.25,0.5,1,1,1]",
      "[-1e9, -61, -60, -59, 0, 12].map(ringClamped)": "[-60,-60,-60,-59,0,12]",
      // Letting go beyond 40 loads, at 40 it does not, and under a finger it does not.
      "[-60, -40.1, -40, -39, 0, 9].map((y) => new RefreshRing().scrolled(y, false, 0))":
        "[true,true,false,false,false,false]",
      "[-60, -40.1, -40].map((y) => new RefreshRing().scrolled(y, true, 0))": "[false,false,false]",
      // While it loads the ring is empty and cannot be set off again.
      """
      walk(new RefreshRing(), ['scrolled', -50, false, 0], ['scrolled', -50, false, 1000],
        ['progress', -50], ['stopped'], ['progress', -50], ['scrolled', -50, false, 2000])
      """: "[true,false,0,null,1,true]",
      """
      watch(new RefreshRing(), (ring) => [ring.isRefreshing, ring.startedAt],
        ['scrolled', -50, false, 0], ['scrolled', -50, false, 1000], ['stopped'])
      """: "[[true,0],[true,0],[false,null]]",
      // Loading is shown for two seconds at least and not longer than it takes.
      """
      walk(new RefreshRing(), ['end', 3000], ['scrolled', -50, false, 10000], ['end', 10100],
        ['end', 12000], ['end', 15000], ['stopped'], ['end', 3000])
      """: "[3000,true,12000,12000,15000,null,3000]",
      // Of nothing all is done, and no count leaves the ring.
      "[[0, 0], [3, 0], [1, -1], [0, 4], [1, 4], [4, 4], [9, 4], [-1, 4]].map((n) => ringProgressOf(...n))":
        "[1,1,1,0,0.25,1,1,0]",
      // The line of the last update is short, and absent where nothing is known.
      "lastUpdated([2026, 9, 1, 15, 5], 'zh')": "'最后更新: 2026/9/1 15:05'",
      "lastUpdated([2026, 9, 1, 15, 5], 'en')": "'Last Updated: 9/1/26, 3:05 PM'",
      "lastUpdated([2005, 12, 31, 0, 59], 'en')": "'Last Updated: 12/31/05, 12:59 AM'",
      "[1, 11, 12, 13, 23].map((hour) => lastUpdated([1999, 1, 2, hour, 0], 'en').slice(22))":
        "['1:00 AM','11:00 AM','12:00 PM','1:00 PM','11:00 PM']", "lastUpdated(null, 'zh')": "null",
      // Older days are asked for beyond the end, one at a time, until there are none.
      """
      walk(new LoadBefore(), ['scrolled', 400, 600, 1000], ['scrolled', 400.5, 600, 1000],
        ['scrolled', 450, 600, 1000], ['finished', false], ['scrolled', 401, 600, 1000],
        ['finished', true], ['scrolled', 900, 600, 1000], ['finished', false],
        ['scrolled', 401, 600, 1000])
      """: "[false,true,false,null,true,null,false,null,true]",
      """
      watch(new LoadBefore(), (list) => [list.isLoading, list.isAtEnd], ['scrolled', 0, 600, 1000],
        ['scrolled', 401, 600, 1000], ['finished', false], ['finished', true])
      """: "[[false,false],[true,false],[false,false],[false,true]]",
      "new LoadBefore().scrolled(0, 600, 0)": "true",
      // The top bar comes in over 64 and is gone at the top.
      "[-30, 0, 16, 64, 900, NaN].map(topBarAlpha)": "[0,0,0.25,1,1,0]",
    ])
  }

  /// Offsets around each threshold of the header.
  private let offsets = "[-120, -65.1, -65, -64.9, -1, 0, 40]"

  @Test func `dragging beyond 65 arms the header, coming back inside disarms it`() async throws {
    let to = { (state: String, rest: String) in
      "\(self.offsets).map((y) => watch(header('\(state)'), (m) => m.state, ['scrolled', y, \(rest)])[0][0])"
    }
    try await PageModel.expect([
      "new PullRefresh().state": "'normal'",
      // The first letters of: normal, pulling, loading. At exactly 65 neither happens, and back at
      // 0 or above the header stays armed, as in the original.
      "\(to("normal", "true")).join('')": "'ppnnnnn'",
      "\(to("pulling", "true")).join('')": "'pppnnpp'",
      "\(to("loading", "true")).join('')": "'lllllll'",
      // Without a finger, or while the list loads by itself, nothing changes.
      "\(to("normal", "false")).join('')": "'nnnnnnn'",
      "\(to("pulling", "false")).join('')": "'ppppppp'",
      "\(to("normal", "true, true")).join('')": "'nnnnnnn'",
      "\(to("pulling", "true, true")).join('')": "'ppppppp'",
      """
      watch(new PullRefresh(), (m) => m.state[0], ...[-64.9, -65, -65.1, -65, -64.9, -66, -1, -70]
        .map((y) => ['scrolled', y, true])).join('')
      """: "'nnppnpnp'",
    ])
  }

  @Test func `letting go at 65 or beyond loads, and makes room of 60`() async throws {
    let release = { (state: String, rest: String) in
      "\(self.offsets).map((y) => { const m = header('\(state)'); return [m.released(y\(rest)), m.state[0], m.inset].join(); }).join(' ')"
    }
    try await PageModel.expect([
      release("normal", ""):
        "'true,l,60 true,l,60 true,l,60 false,n,0 false,n,0 false,n,0 false,n,0'",
      release("pulling", ""):
        "'true,l,60 true,l,60 true,l,60 false,p,0 false,p,0 false,p,0 false,p,0'",
      // A second release while it loads is ignored, and one while the list loads by itself.
      "failing(\(offsets), (y) => !header('loading').released(y))": "[]",
      "failing(\(offsets), (y) => !header('pulling').released(y, true))": "[]",
      "walk(new PullRefresh(), ['released', -64], ['released', -65], ['released', -80])":
        "[false,true,false]",
    ])
  }

  @Test func `the room follows the list while it loads, else dragging closes it`() async throws {
    let insets = { (state: String, isDragging: Bool) in
      "[-200, -60, -59, -1, 0, 40].map((y) => watch(header('\(state)', 60), (m) => m.inset, ['scrolled', y, \(isDragging)])[0])"
    }
    try await PageModel.expect([
      insets("loading", false): "[60,60,59,1,0,0]", insets("loading", true): "[60,60,59,1,0,0]",
      insets("normal", true): "[0,0,0,0,0,0]", insets("pulling", true): "[0,0,0,0,0,0]",
      insets("normal", false): "[60,60,60,60,60,60]",
      "watch(header('loading', 60), (m) => [m.state, m.inset], ['finished'])": "[['normal',0]]",
    ])
  }

  // MARK: The pages

  @Test func `pages are reached through those between, and days have words`() async throws {
    try await PageModel.expect([
      // A tap goes through every page between, or to the top of the current one.
      "pageAction(1, 1)": "'top'", "pageAction(0, 3)": "[1,2,3]", "pageAction(3, 1)": "[2,1]",
      """
      failing(range(0, 35).map((n) => [Math.floor(n / 6), n % 6]).filter(([from, to]) => from !== to),
        ([from, to]) => {
          const path = pageAction(from, to);
          return path.at(-1) === to && path.every((page, index) =>
            page - [from, ...path][index] === (to > from ? 1 : -1));
        })
      """: "[]",
      // The indicator follows the swipe, to where the next tab's is.
      "[0, 375, 750].map((x) => indicatorOffset(200, x, 375, 3))": "[75,200,325]",
      """
      failing(range(1, 6), (count) => range(0, count - 1).every((tab) =>
        Math.abs(indicatorOffset(tab * 360 / count, 720, 360, count) - (tab + 1) * 360 / count) < 1e-9))
      """: "[]", "indicatorOffset(0, 375, 375, 0)": "0",
      // The current page and its neighbours keep their pictures.
      "range(0, 3).map((page) => keptPages(page, 4))": "[[0,1],[0,1,2],[1,2,3],[2,3]]",
      "keptPages(0, 1)": "[0]",
      // A swipe ends on the page of which more is seen.
      "[-500, 0, 187, 187.5, 375, 9000].map((x) => pageAt(x, 375, 4))": "[0,0,0,1,1,3]",
      "pageAt(5, 0, 0)": "0",
      // A day of the past says in words what it holds and what is cached.
      "daySummary({ stories: 6, images: 11, cached: 11 }, 'en')":
        "'6 stories · 11 images, all cached'",
      "daySummary({ stories: 1, images: 1, cached: 0 }, 'en')": "'1 story · 1 image, 0 cached'",
      "daySummary({ stories: 2, images: 0, cached: 0 }, 'en')": "'2 stories · no images'",
      "daySummary({ stories: 6, images: 11, cached: 9 }, 'zh')": "'6 篇文章 · 11 张图片，已缓存 9 张'",
      "daySummary({ stories: 6, images: 11, cached: 11 }, 'zh')": "'6 篇文章 · 11 张图片，已全部缓存'",
      // A story of several pictures has a badge.
      "range(0, 3).map((count) => showsBadge(count, false))": "[false,false,true,true]",
      "range(0, 3).map((count) => showsBadge(count, true))": "[true,true,true,true]",
    ])
  }

  @Test func `the page labels days as the server does, through the years`() async throws {
    let today = DayKey(ordinal: 20_697)
    for language in PageLanguage.allCases {
      let labels = (-800...3).map {
        let day = today.advanced(by: $0)
        return "\(day) \(DayLabel.text(for: day, today: today, in: language))"
      }

      let shown = try await PageModel.text(
        """
        range(-800, 3).map((offset) => dayLater('\(today)', offset))
          .map((day) => `${day} ${dayLabel(day, '\(today)', '\(language.rawValue)')}`).join('\\n')
        """)

      #expect(shown.split(separator: "\n").map(String.init) == labels)
    }
  }

  @Test func `a day begins at midnight in the zone of the feeds`() async throws {
    try await PageModel.expect([
      "dayAt(Date.UTC(2026, 8, 1, 15, 59, 59), 28800) - Date.UTC(2026, 8, 1) / 86400000": "0",
      "dayAt(Date.UTC(2026, 8, 1, 16), 28800) - Date.UTC(2026, 8, 1) / 86400000": "1",
      "dayAt(Date.UTC(2026, 8, 1, 3, 59, 59), -14400) - Date.UTC(2026, 8, 1) / 86400000": "-1",
      "dayAt(Date.UTC(2026, 8, 1, 4), -14400) - Date.UTC(2026, 8, 1) / 86400000": "0",
      "[-1, 1, 366].map((days) => dayLater('20261231', days))":
        "['20261230','20270101','20280101']",
    ])
  }

  // MARK: Over the page

  @Test func `a notice comes and goes in its time`() async throws {
    try await PageModel.expect([
      // A text shows 0,06 seconds a character and 0,5, within its limits.
      "[0, 4, 75, 100, 1000].map((length) => hudSeconds(length, 5, 99).toFixed(2))":
        "['5.00','5.00','5.00','6.50','60.50']",
      "[0, 6, 80].map((length) => hudSeconds(length, 5, 0.5))": "[0.5,0.5,0.5]",
      "[0, 6].map((length) => hudSeconds(length, 0.4, 5).toFixed(2))": "['0.50','0.86']",
      // The notice comes and goes in 0,15 seconds.
      """
      walk(new HUDDisplay(), ['opacity', 0], ['show', 1000], ['opacity', 1000], ['opacity', 1075],
        ['opacity', 1150], ['opacity', 9000], ['finish', 10000], ['opacity', 10000],
        ['opacity', 10075], ['opacity', 10150], ['opacity', 11000])
      """: "[0,null,0,0.5,1,1,null,1,0.5,0,0]",
      // A text goes by itself, a load stays until it ends.
      """
      walk(new HUDDisplay(), ['showText', 500, 0], ['opacity', 500], ['opacity', 575],
        ['opacity', 650])
      """: "[null,1,0.5,0]",
      "walk(new HUDDisplay(), ['show', 0], ['opacity', 3600000])": "[null,1]",
      // A load that follows a text does not go with it.
      "walk(new HUDDisplay(), ['showText', 500, 0], ['show', 100], ['opacity', 9000])":
        "[null,null,1]",
      // What was never shown cannot be finished, and a second end does not prolong it.
      "watch(new HUDDisplay(), (hud) => [hud.shownAt, hud.fadesAt], ['finish', 1000])":
        "[[null,null]]",
      "watch(new HUDDisplay(), (hud) => hud.fadesAt, ['show', 0], ['finish', 1000], ['finish', 5000])":
        "[null,1000,1000]",
      "watch(new HUDDisplay(), (hud) => hud.fadesAt, ['showText', 500, 0], ['finish', 200])":
        "[500,200]",
      // A notice shown again before it is gone does not blink.
      "walk(new HUDDisplay(), ['show', 0], ['finish', 1000], ['show', 1050], ['opacity', 1050])":
        "[null,null,null,1]",
      "walk(new HUDDisplay(), ['show', 0], ['finish', 1000], ['show', 2000], ['opacity', 2000])":
        "[null,null,null,0]",
      // The animation shows its frames in turn and begins again.
      """
      [-40, 0, 79, 80, 159, 160, 239, 240, 720].map((time) =>
        animationFrame({ frameCount: 3, delay: 80 }, time))
      """: "[0,0,0,1,1,2,2,0,0]",
    ])
  }

  @Test func `an empty list says why`() async throws {
    let reasons = { (count: String) in
      "[null, 404, 500, 'unreachable', 'unreadable'].map((failure) => emptyReason(\(count), failure))"
    }
    try await PageModel.expect([
      reasons("3"): "[null,null,null,null,null]",
      reasons("0"): "['noStories','noDay','badAnswer','network','badAnswer']",
      reasons("null"): "['noDay','noDay','badAnswer','network','badAnswer']",
    ])
  }

  // MARK: Placeholders

  @Test func `the script shows a ThumbHash as the library does`() async throws {
    let pictures = [
      SampleImages.gradient(60, 40), SampleImages.translucent(30, 45),
      SampleImages.quarters(90, 90),
    ]
    for picture in pictures {
      let hash = try ThumbHash(of: picture)
      let expected = hash.pixels()

      // One step of a sample apart: the two round halves differently.
      let shown = try await PageModel.text(
        """
        (() => {
          const expected = \(expected.bytes);
          const { width, height, rgba } = thumbHashPicture('\(Data(hash.bytes).base64EncodedString())');
          const far = Math.max(...expected.map((sample, at) => Math.abs(sample - rgba[at])));
          return `${width}x${height} ${rgba.length} ${far <= 1}`;
        })()
        """)

      #expect(
        shown == "\(expected.size.width)x\(expected.size.height) \(expected.bytes.count) true")
    }
    try await PageModel.expect([
      "['', '%', 'AAAA', 'AAAAAAA=', '////////'].map((text) => thumbHashPicture(text)).join()":
        "',,,,'"
    ])
  }

  @Test func `numbers, months and keys are as a reader of the language writes them`() async throws {
    try await PageModel.expect([
      // Sizes have three digits at most and their unit.
      "[0, 1, 1023, 1024, 1536, 10239, 1048575, 27 * 1048576, 1e18].map((n) => bytesText(n, 'en'))":
        "['0 B','1 B','1,023 B','1 KiB','1.5 KiB','10 KiB','1 MiB','27 MiB','888 PiB']",
      "[-5, 1536].map((n) => bytesText(n, 'zh'))": "['0 B','1.5 KiB']",
      // A part reads neither 0% nor 100% where it is not.
      "[[0, 5], [5, 5], [1, 1e6], [999999, 1e6], [1, 3]].map(([a, b]) => shareText(shareOf(a, b), 'en'))":
        "['0%','100%','0.1%','99.9%','33.3%']", "shareOf(0, 0)": "null",
      "[0.0004, 0.028, 0.458, 1.25].map((s) => secondsText(s, 'en'))":
        "['0.4 ms','28 ms','458 ms','1.3 s']",
      // A month has its weeks, from Monday or Sunday.
      "weeksOf('202609', 'zh').length": "5",
      "weeksOf('202609', 'zh')[0]":
        "[null,'20260901','20260902','20260903','20260904','20260905','20260906']",
      "weeksOf('202609', 'en')[0]":
        "[null,null,'20260901','20260902','20260903','20260904','20260905']",
      "weeksOf('202402', 'en').flat().filter(Boolean).length": "29",
      "weekdays('zh').map(([name]) => name).join('')": "'一二三四五六日'",
      "weekdays('en').map(([name]) => name).join(' ')": "'Su Mo Tu We Th Fr Sa'",
      "['zh', 'en'].map((language) => monthLabel('202609', language))": "['2026年9月','Sep 2026']",
      // Keys lead from day to day, and only known months are turned to.
      "['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'x'].map((key) => dayByKey('20240301', key))":
        "['20240229','20240302','20240223','20240308','20240301','20240331',null]",
      "monthsOf(['20260901', '20250102', '20260902'])": "['202501','202609']",
      "[-1, 1].map((step) => monthBeside('202609', ['202501', '202609'], step))": "['202501',null]",
      "[-1, 1].map((step) => monthBeside('202605', ['202501', '202609'], step))":
        "['202501','202609']",
      "[-1, 1].map((step) => monthBeside('202605', [], step))": "[null,null]",
    ])
  }

  @Test func `a picture fits, comes near about a place, and never leaves the view`() async throws {
    let zoom =
      "Object.assign(new Zoom({ width: 300, height: 200 }, { width: 300, height: 400 }), {})"
    try await PageModel.expect([
      "fitted({ width: 3000, height: 1500 }, { width: 300, height: 400 })":
        "{'width':300,'height':150}",
      "fitted({ width: 10, height: 10 }, { width: 300, height: 400 })": "{'width':25,'height':25}",
      "(() => { const zoom = \(zoom); zoom.by(2, 100, 0); return [zoom.scale, zoom.x, zoom.y]; })()":
        "[2,-100,0]",
      "(() => { const zoom = \(zoom); zoom.by(100); zoom.move(1e9, -1e9); return [zoom.scale, zoom.x, zoom.y]; })()":
        "[8,1050,-600]",
      "(() => { const zoom = \(zoom); zoom.by(3, 50, 0); zoom.by(0.01); return [zoom.scale, zoom.x, zoom.y, zoom.isWhole]; })()":
        "[1,0,0,true]",
      "[[-60, 5], [60, 5], [40, 0], [0, 120], [0, -120], [60, 60]].map(([x, y]) => swipe(x, y))":
        "[1,-1,null,'close',null,null]",
    ])
  }
}
