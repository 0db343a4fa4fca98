import ImageModel
import TextEncodings

/// Reads plain lists of image URLs: one a line, empty lines and lines that begin with `#` skipped.
enum URLListFeed {
  /// Returns an item for each URL, once, all with the identifier `list`. The error is about the
  /// document as it was before it was decoded.
  static func contents(
    of bytes: [UInt8], from document: [UInt8]? = nil
  ) throws(ImageError) -> FeedContents {
    var items: [FeedItem] = []
    var warnings: [String] = []
    var refused = 0
    var seen: Set<ExactString> = []
    for (number, bytes) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
      .enumerated()
    {
      let line = String(decoding: bytes, as: UTF8.self).trimmingWhiteSpace()
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      if WebURL(line) != nil || S3Address(line) != nil {
        guard seen.insert(ExactString(line)).inserted else { continue }
        // One item for each URL, since each has its own day on which it was first seen.
        var story = FeedStory(id: FeedItem.listID)
        story.images = [FeedImage(url: line, role: .story, storyID: story.id, index: items.count)]
        items.append(FeedItem(story: story))
      } else {
        refused += 1
        if refused <= FeedContents.maximumWarningCount {
          let shown = String(WebURL.withoutUserinfo(line).prefix(60)).debugDescription
          warnings.append("line \(number + 1) is not an http(s) or s3 URL: \(shown)")
        }
      }
    }
    guard !items.isEmpty else {
      throw ImageError(
        .notAFeed,
        "the response is \(BytesDescription.ofText(document ?? bytes)): not RSS, Atom, JSON Feed or a list of URLs"
      )
    }
    let rest = refused - FeedContents.maximumWarningCount
    if rest > 0 { warnings.append("\(rest) more lines are not http(s) or s3 URLs") }
    return FeedContents(items: items, warnings: warnings)
  }
}
