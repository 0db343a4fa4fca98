import ImageCodecs
import ImageFeeds
import ImageModel
import Testing

@testable import HTTPListening
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `The reader's texts` {
  @Test func `today and yesterday have names, other days their date`() throws {
    let today = try #require(DayKey("20260901"))
    func label(_ text: String, _ language: PageLanguage) throws -> String {
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

  @Test(arguments: [
    (nil, PageLanguage.chinese), ("", .chinese), ("fr, de", .chinese), ("en", .english),
    ("en-GB,en;q=0.9,zh;q=0.8", .english), ("zh-Hans-CN, en;q=0.5", .chinese),
    ("en;q=0.2, zh;q=0.7", .chinese), ("en;q=0, zh;q=0", .chinese), ("english", .chinese),
    (",;q=,en;q=x", .english), ("zh;q=0.4, fr, en;Q=0.8", .english), ("fr, *;q=0.5", .chinese),
    ("zh;q=0, *", .english), ("*;q=0.9, zh;q=0.3", .english), ("en;q=nan, zh;q=0.9", .english),
    (String(repeating: "fr;q=0.1, ", count: 40) + "en", .english),
  ])
  func `the language is the first that the browser prefers`(
    header: String?, language: PageLanguage
  ) {
    #expect(PageLanguage(accepting: header) == language)
  }

  @Test func `each text is said by the page or by its script`() throws {
    let reader = "Sources/ThumbnailServer/Reader"
    let scripts = try SourceTree(under: reader, endings: [".js"]).files.map(\.text).joined()
    let pages = try SourceTree(under: reader).files.filter { !$0.path.hasSuffix("Text.swift") }

    for text in ReaderText.allCases {
      let name = "\(text)"
      let uses = ["'\(name)'", "texts.\(name)", "texts[language].\(name)"]
      #expect(
        uses.contains(where: scripts.contains) || pages.contains { $0.text.contains(".\(name)") },
        "\(name)")
    }
  }
}
