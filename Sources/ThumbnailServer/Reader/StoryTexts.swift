import ImageFeeds
import ImageModel

/// The parsed texts of stories, so that a page that is requested again is not parsed again.
final class StoryTexts: Sendable {
  private struct Entry {
    var imageURLs: [String]
    /// The sanitised text, with the targets of its images.
    var text: (targets: [ExactString: PageImage], html: String)?
  }
  private struct State {
    var entries: [StoryPage: Entry] = [:]
    var byteCount = 0

    mutating func keep(_ entry: Entry, of page: StoryPage, upTo maximum: Int) {
      byteCount += page.html.utf8.count + (entry.text?.html.utf8.count ?? 0)
      if byteCount > maximum { (entries, byteCount) = ([:], 0) }
      entries[page] = entry
    }
  }
  private let maximumByteCount: Int
  private let state = Locked(State())

  /// - Parameter maximumByteCount: Bytes of texts, as sent and as sanitised; beyond it all are
  ///   forgotten. Default: 16 MiB.
  init(maximumByteCount: Int = 16 << 20) { self.maximumByteCount = maximumByteCount }

  /// The URLs of the images of a page, as ``StoryPage/images(of:)`` returns them.
  func imageURLs(of page: StoryPage) throws(ImageError) -> [String] {
    if let known = state.withLock({ $0.entries[page] }) { return known.imageURLs }
    let urls = try page.images(of: "").map(\.url)
    state.withLock { $0.keep(Entry(imageURLs: urls), of: page, upTo: maximumByteCount) }
    return urls
  }

  /// The sanitised text of a page with the targets of its images, by their URLs.
  func text(
    of page: StoryPage, showing targets: [ExactString: PageImage]
  ) throws(ImageError) -> String {
    if let known = state.withLock({ $0.entries[page]?.text }), known.targets == targets {
      return known.html
    }
    let html = try page.sanitized { targets[ExactString($0)] }
    state.withLock { state in
      let urls = state.entries[page]?.imageURLs
      guard let urls else { return }
      state.keep(
        Entry(imageURLs: urls, text: (targets, html)), of: page, upTo: maximumByteCount)
    }
    return html
  }
}
