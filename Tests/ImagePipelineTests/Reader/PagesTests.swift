import ImageFeeds
import Testing

@testable import ReaderModel

@Suite struct `The pages` {
  @Test func `going to a tab goes through every page between`() {
    #expect(PageSwitch.path(from: 0, to: 3) == [1, 2, 3])
    #expect(PageSwitch.path(from: 3, to: 1) == [2, 1])
    #expect(PageSwitch.path(from: 2, to: 2) == [])
  }

  @Test func `every path ends where it should, in steps of one`() {
    for from in 0..<6 {
      for to in 0..<6 where from != to {
        let path = PageSwitch.path(from: from, to: to)
        let steps = zip([from] + path, path).map { $1 - $0 }
        #expect(path.last == to)
        #expect(Set(steps) == [to > from ? 1 : -1])
      }
    }
  }

  @Test func `a tap on the current tab goes to the top`() {
    #expect(PageSwitch.action(current: 1, tapped: 1) == .scrollToTop)
    #expect(PageSwitch.action(current: 1, tapped: 3) == .visit([2, 3]))
  }

  @Test func `the indicator follows the swipe: at 0, one width and two widths`() {
    let places = [0.0, 375, 750].map {
      PageSwitch.indicatorOffset(start: 200, contentOffset: $0, width: 375, pageCount: 3)
    }

    #expect(places == [75, 200, 325])
  }

  @Test func `a whole swipe brings the indicator to where the next tab's stands`() {
    for count in 1...6 {
      let width = 360.0
      let start = { (tab: Int) in Double(tab) * width / Double(count) }
      for tab in 0..<count {
        let moved = PageSwitch.indicatorOffset(
          start: start(tab), contentOffset: 2 * width, width: width, pageCount: count)
        #expect(abs(moved - start(tab + 1)) < 1e-9)
      }
    }
  }

  @Test func `the current page and its neighbours keep their pictures`() {
    #expect(PageSwitch.kept(current: 0, pageCount: 4) == [0, 1])
    #expect(PageSwitch.kept(current: 2, pageCount: 4) == [1, 2, 3])
    #expect(PageSwitch.kept(current: 3, pageCount: 4) == [2, 3])
    #expect(PageSwitch.kept(current: 0, pageCount: 1) == [0])
  }

  @Test func `a swipe ends on the page of which more is seen`() {
    let pages = [-500.0, 0, 187, 187.5, 375, 9000].map {
      PageSwitch.page(contentOffset: $0, width: 375, pageCount: 4)
    }

    #expect(pages == [0, 0, 0, 1, 1, 3])
    #expect(PageSwitch.page(contentOffset: 5, width: 0, pageCount: 0) == 0)
  }

  @Test func `a source has three parts in one order, and an observer need not care`() {
    struct Row: PageSource {
      let pageButtons = ReaderTab.allCases.map(\.title)
      let pages = ReaderTab.allCases
      let pageContainer = "main"
    }
    struct Nobody: PageObserver {}
    var nobody = Nobody()

    nobody.pageChanged(to: 1)
    nobody.pageOffsetChanged(to: 2)
    nobody.indicatorStarted(at: 3, tab: 0)

    #expect(Row().pageButtons.count == Row().pages.count)
    #expect(Row().pages == [.today, .past, .favourites, .statistics])
  }

  @Test func `today and yesterday have names, other days their date`() throws {
    let today = try #require(DayKey("20260901"))
    func label(_ text: String, _ language: ReaderLanguage) throws -> String {
      DayLabel.text(for: try #require(DayKey(text)), today: today, in: language)
    }

    #expect(try label("20260901", .chinese) == "今天")
    #expect(try label("20260831", .english) == "Yesterday")
    #expect(try label("20260830", .chinese) == "8月30日 星期日")
    #expect(try label("20260830", .english) == "Sunday, August 30")
    #expect(try label("20251231", .chinese) == "2025年12月31日 星期三")
    #expect(try label("20251231", .english) == "Wednesday, December 31, 2025")
  }

  @Test func `days of the week go on from one day to the next, before 1970 too`() throws {
    let start = try #require(DayKey("19691228"))  // a Sunday
    let far = start.advanced(by: 40_000)

    for offset in 0..<800 {
      let label = DayLabel.text(for: start.advanced(by: offset), today: far, in: .chinese)
      #expect(label.hasSuffix(DayLabel.chineseWeekdays[offset % 7]))
    }
  }

  @Test func `dates are above rows 7, 13 and 19`() {
    let dates = (0...20).map { DayLabel.dateIndex(row: $0) }

    #expect(dates[7] == 0)
    #expect(dates[13] == 1)
    #expect(dates[19] == 2)
    #expect(dates.compactMap { $0 } == [0, 1, 2])
    #expect(DayLabel.dateIndex(row: 4, perDay: 3) == 0)
    #expect(DayLabel.dateIndex(row: 5, perDay: 0) == nil)
  }

  @Test func `a story leads to its page, the one to pass on, or the one of its number`() {
    #expect(StoryCell.link(url: "a", shareURL: "b", id: "1") == "a")
    #expect(StoryCell.link(url: nil, shareURL: "b", id: "1") == "b")
    #expect(
      StoryCell.link(url: nil, shareURL: nil, id: "9710") == "https://daily.zhihu.com/story/9710")
    #expect(StoryCell.link(url: nil, shareURL: nil, id: "javascript:1") == nil)
    #expect(StoryCell.link(url: nil, shareURL: nil, id: "") == nil)
  }

  @Test func `a title without a picture takes the whole width`() {
    #expect(StoryCell.titleTakesFullWidth(pictureCount: 0))
    #expect(!StoryCell.titleTakesFullWidth(pictureCount: 1))
    #expect(StoryCell.showsBadge(pictureCount: 1, isMultipic: true))
    #expect(StoryCell.showsBadge(pictureCount: 2, isMultipic: false))
    #expect(!StoryCell.showsBadge(pictureCount: 1, isMultipic: false))
  }

  @Test(arguments: [
    (nil, ReaderLanguage.chinese), ("", .chinese), ("fr, de", .chinese), ("en", .english),
    ("en-GB,en;q=0.9,zh;q=0.8", .english), ("zh-Hans-CN, en;q=0.5", .chinese),
    ("en;q=0.2, zh;q=0.7", .chinese), ("en;q=0, zh;q=0", .chinese), ("english", .chinese),
    (",;q=,en;q=x", .english),
  ])
  func `the language is the first that the browser prefers`(
    header: String?, language: ReaderLanguage
  ) {
    #expect(ReaderLanguage(accepting: header) == language)
  }

  @Test func `every text is there in both languages`() {
    for text in ReaderText.allCases {
      #expect(!text.text(in: .chinese).isEmpty)
      #expect(!text.text(in: .english).isEmpty)
    }
    #expect(ReaderTables.json().contains(#""releaseToRefresh":"松开即可刷新""#))
  }
}
