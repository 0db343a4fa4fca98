import ImageFeeds
import ImagePipeline

/// One picture of a contact sheet, and what stands under it.
struct SheetItem: Sendable, Hashable {
  let url: String
  /// The first line: which picture it is.
  let name: String
  /// The day that it belongs to.
  let day: DayKey?

  /// A picture of a day: `story 9776089-0`, or where there are several days `20200616 story 9776089-0`.
  init(_ image: FeedImage, on day: DayKey, namingDay: Bool) {
    url = image.url
    self.day = day
    let role =
      switch image.role {
      case .story: "story"
      case .topStory: "top"
      case .body: "body"
      }
    name = (namingDay ? "\(day) " : "") + "\(role) \(image.storyID)-\(image.index)"
  }

  /// A picture that was named by itself: the last part of its path, or its host.
  init(url: String) {
    self.url = url
    day = nil
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let parts = path.split(separator: "/")
    name = parts.last.map(String.init) ?? url
  }

  /// The second line of one that was had: `150x150 jpeg 5.3 KiB`.
  static func facts(_ info: ImageInfo, byteCount: Int) -> String {
    let frames = info.frameCount > 1 ? " \(info.frameCount) frames" : ""
    return "\(info.size) \(info.format.rawValue) \(ByteQuantity(byteCount))\(frames)"
  }

  /// The second line of one that was not: `missing: not_cached`.
  static func facts(_ error: ImageError) -> String {
    "missing: \(error.code.rawValue)" + (error.status.map { " \($0)" } ?? "")
  }
}
