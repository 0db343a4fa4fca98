/// The words of an export's pages and of contact sheets, in the language of most titles.
public struct ExportWords: Sendable {
  /// Whether the words are Chinese, not English.
  public let isChinese: Bool

  /// Chooses Chinese if at least half of the titles that are not empty are, else English.
  public init(titles: [String]) {
    let named = titles.filter { !$0.isEmpty }
    isChinese =
      !named.isEmpty && 2 * named.count { Self.language(of: $0) == "zh-CN" } >= named.count
  }

  /// The tag of a title's language, guessed from its letters; `nil` if that is ambiguous.
  public static func language(of title: String) -> String? {
    var hasHan = false
    for scalar in title.unicodeScalars.prefix(300) {
      switch scalar.value {
      case 0x3041...0x30FF: return "ja"
      case 0xAC00...0xD7AF: return "ko"
      case 0x3400...0x9FFF, 0x20000...0x323AF: hasHan = true
      default: break
      }
    }
    if hasHan { return "zh-CN" }
    return title.utf8.allSatisfy { $0 < 0x80 } ? "en" : nil
  }

  private func say(_ chinese: String, _ english: String) -> String {
    isChinese ? chinese : english
  }

  /// The tag of the language: `zh-CN` or `en`.
  public var language: String { say("zh-CN", "en") }
  var allDays: String { say("全部日期", "All days") }
  var archive: String { say("每日存档", "Daily archive") }
  var contents: String { say("目录", "Contents") }
  var text: String { say("阅读全文", "Read the text") }
  var web: String { say("在网页中打开", "Open on the web") }
  var images: String { say("图片", "Images") }
  var missing: String { say("图片未能保存", "Image not available") }
  var placeholder: String { say("替代图片", "Placeholder") }
  var close: String { say("关闭", "Close") }
  var previous: String { say("上一张", "Previous image") }
  var next: String { say("下一张", "Next image") }
  var viewer: String { say("查看图片", "Image viewer") }

  /// Returns `6 stories · 11 images`.
  public func count(stories: Int, images: Int) -> String {
    say(
      "\(stories) 篇文章 · \(images) 张图片",
      english(stories, "story", "stories") + " · " + english(images, "image", "images"))
  }

  func count(days: Int) -> String { say("\(days) 天", english(days, "day", "days")) }

  /// Returns `June 16, 2020`.
  public func date(_ day: DayKey) -> String {
    let (year, month, date) = day.parts
    return say("\(year)年\(month)月\(date)日", "\(DayKey.monthNames[month - 1]) \(date), \(year)")
  }

  /// Returns `June 1, 2020 – June 16, 2020` for sorted days.
  func dates(_ days: [DayKey]) -> String {
    guard let first = days.first, let last = days.last else { return "" }
    return first == last ? date(first) : "\(date(first)) – \(date(last))"
  }

  private func english(_ count: Int, _ one: String, _ many: String) -> String {
    "\(count) \(count == 1 ? one : many)"
  }
}
