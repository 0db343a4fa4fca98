import CachePolicies
import ImageFeeds
import ImageModel

/// The parsed texts of stories, so that a page that is requested again is not parsed again.
final class StoryTexts: Sendable {
  private struct Entry: Sendable {
    var imageURLs: [String]
    /// The sanitised text, with the targets of its images.
    var text: (targets: [ExactString: PageImage], html: String)?
  }
  private let entries: MemoryCache<Entry>

  /// - Parameter maximumByteCount: Bytes of texts, as sent and as sanitised. Default: 16 MiB.
  init(maximumByteCount: Int = 16 << 20) {
    var configuration = MemoryCacheConfiguration()
    configuration.maximumByteCount = maximumByteCount
    entries = MemoryCache(configuration)
  }

  /// The URLs of the images of a page, as ``StoryPage/images(of:)`` returns them.
  func imageURLs(of page: StoryPage) throws(ImageError) -> [String] {
    if let known = entries.value(for: MemoryKey(page)) { return known.imageURLs }
    let urls = try page.images(of: "").map(\.url)
    keep(Entry(imageURLs: urls), of: page)
    return urls
  }

  /// The sanitised text of a page with the targets of its images, by their URLs.
  func text(
    of page: StoryPage, showing targets: [ExactString: PageImage]
  ) throws(ImageError) -> String {
    var entry = entries.value(for: MemoryKey(page))
    if let known = entry?.text, known.targets == targets { return known.html }
    let html = try page.sanitized { targets[ExactString($0)] }
    entry?.text = (targets, html)
    if let entry { keep(entry, of: page) }
    return html
  }

  private func keep(_ entry: Entry, of page: StoryPage) {
    entries.insert(
      entry, for: MemoryKey(page),
      byteCount: page.html.utf8.count + (entry.text?.html.utf8.count ?? 0))
  }
}
