import ImageFeeds
import ImageModel
import TextEncodings

/// The texts of a contact sheet, in the language of most of its titles.
struct SheetWords: Sendable {
  private let words: ExportWords
  let namesDays: Bool
  private let items: [SheetItem]

  init(_ items: [SheetItem]) {
    self.items = items
    words = ExportWords(titles: items.filter { $0.storyID != nil }.map(\.title))
    let days = items.compactMap(\.day)
    namesDays = days.min() != days.max()
  }

  var language: String { words.language }

  private func say(_ chinese: String, _ english: String) -> String {
    words.isChinese ? chinese : english
  }

  /// `Tuesday, June 16, 2020`, `June 1, 2020 – June 30, 2020`, or for URLs `12 images`.
  var heading: String {
    let days = items.compactMap(\.day)
    guard let first = days.min(), let last = days.max() else {
      return say("\(items.count) 张图片", items.count.counted("image"))
    }
    return first == last ? name(of: first) : "\(words.date(first)) – \(words.date(last))"
  }

  /// `11 stories · 22 images · page 1 of 2`; empty if the heading says it all.
  func subheading(page: Int, of pageCount: Int) -> String {
    var parts: [String] = []
    let stories = Set(
      items.compactMap { item in item.storyID.map { [$0, "\(item.day ?? .init(ordinal: 0))"] } })
    if !stories.isEmpty { parts.append(words.count(stories: stories.count, images: items.count)) }
    if pageCount > 1 {
      parts.append(say("第 \(page) 页，共 \(pageCount) 页", "page \(page) of \(pageCount)"))
    }
    return parts.joined(separator: " · ")
  }

  func name(of day: DayKey) -> String {
    let chinese = ["四", "五", "六", "日", "一", "二", "三"]
    let english = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]
    // Ordinal 0 was a Thursday.
    let weekday = (day.ordinal % 7 + 7) % 7
    return say(
      "\(words.date(day)) 星期\(chinese[weekday])", "\(english[weekday]), \(words.date(day))")
  }

  /// `150×150 GIF · 5.3 KiB · 2 frames`, after the day if there are several, and `Top story`.
  func details(_ item: SheetItem, _ info: ImageInfo, byteCount: Int) -> String {
    var parts = lead(of: item)
    parts.append("\(info.size.width)×\(info.size.height) \(info.format.rawValue.uppercased())")
    parts.append("\(ByteQuantity(byteCount))")
    if info.frameCount > 1 {
      parts.append(say("\(info.frameCount) 帧", "\(info.frameCount) frames"))
    }
    return parts.joined(separator: " · ")
  }

  /// The host of an image that is not available, or if its place has a placeholder the reason.
  func details(_ item: SheetItem, _ error: ImageError, hasPlaceholder: Bool) -> String {
    let host = WebURL(item.url)?.host ?? S3Address(item.url)?.bucket ?? ""
    return (lead(of: item) + [hasPlaceholder ? notice(error) : host]).joined(separator: " · ")
  }

  private func lead(of item: SheetItem) -> [String] {
    let (_, month, date) = item.day?.parts ?? (0, 0, 0)
    let day = namesDays && item.day != nil ? [say("\(month)月\(date)日", item.day?.dashed ?? "")] : []
    return day + (item.isTopStory ? [say("头条", "Top story")] : [])
  }

  func notice(_ error: ImageError) -> String {
    if let status = error.status {
      return say("服务器返回 \(status)", "The server answered \(status)")
    }
    switch error.code {
    case .notCached: return say("尚未缓存", "Not in the cache")
    case .timedOut: return say("服务器没有及时回应", "The server did not answer in time")
    default: return say("无法取得图片", "Image not available")
    }
  }
}
