import ImageFeeds
import ImageModel

/// One image of a contact sheet, and its caption.
struct SheetItem: Sendable, Hashable {
  let url: String
  let name: String
  let day: DayKey?

  /// Creates an item for an image of a day: `story 9776089-0`, or if there are several days
  /// `20200616 story 9776089-0`.
  init(_ image: FeedImage, on day: DayKey, namingDay: Bool) {
    url = image.url
    self.day = day
    name = (namingDay ? "\(day) " : "") + image.caption
  }

  /// Creates an item for a URL, captioned by the last part of its path, or its host.
  init(url: String) {
    self.url = url
    day = nil
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let parts = path.split(separator: "/")
    name = parts.last.map(String.init) ?? url
  }

  /// The second line for an available image: `150x150 jpeg 5.3 KiB`.
  static func facts(_ info: ImageInfo, byteCount: Int) -> String {
    let frames = info.frameCount > 1 ? " \(info.frameCount) frames" : ""
    return "\(info.size) \(info.format.rawValue) \(ByteQuantity(byteCount))\(frames)"
  }

  /// The second line for an unavailable one: `missing: not_cached`.
  static func facts(_ error: ImageError) -> String {
    "missing: \(error.code.rawValue)" + (error.status.map { " \($0)" } ?? "")
  }
}
