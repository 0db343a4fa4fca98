import ImageCodecs
import ImageFeeds
import ImageModel
import TextEncodings

struct SheetItem: Sendable, Hashable {
  let url: String
  /// The title of its story, else the last part of the URL's path, else its host.
  let title: String
  var day: DayKey?
  var storyID: String?
  var isTopStory = false
  /// The page of the story: `http` or `https`.
  var link: String?

  /// - Parameter story: `nil` where the feed says nothing about it.
  init(_ image: FeedImage, of story: FeedStory?, on day: DayKey) {
    url = image.url
    self.day = day
    storyID = image.storyID
    isTopStory = image.role == .topStory
    let title = story?.title.trimmingWhiteSpace() ?? ""
    self.title = title.isEmpty ? Self.name(of: image.url) : title
    link = story?.link.flatMap {
      $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil
    }
  }

  init(url: String) {
    self.url = url
    title = Self.name(of: url)
  }

  private static func name(of url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    return path.split(separator: "/").last.map(String.init) ?? url
  }
}

struct SheetCell: Sendable {
  let item: SheetItem
  /// The image or its placeholder, cropped to the shape of the place; `nil` for neither.
  var image: PixelBuffer?
  let details: String
  let notice: String

  func jpeg(quality: Int) throws(ImageError) -> [UInt8]? {
    guard let image else { return nil }
    return try ImageCodecs.encodeJPEG(image, options: .init(quality: quality))
  }
}
