import ImageModel
import TextEncodings

@testable import ImageFeeds

/// The images of a feed can be fetched, its pages can be sanitized, and a list of its images reads
/// back as the same images.
enum FeedTarget {
  private static let base = "https://example.org/feed"

  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    guard let contents = try? FeedContents(reading: bytes, base: base) else { return }
    var urls: [String] = []
    for item in contents.items {
      for image in item.story.images {
        try require(
          WebURL(image.url) != nil || S3Address(image.url) != nil,
          "an image at \(image.url.debugDescription)")
        urls.append(image.url)
      }
      if let day = item.day {
        try require(DayKey(day.description) == day, "\(day) is not the day it is written as")
      }
      _ = item.key
      _ = try? HTMLSanitizer(base: item.page?.url ?? base) { PageImage(source: $0) }
        .sanitized(item.page?.html ?? "")
    }
    let day = FeedDay(day: DayKey.firstOfZhihuDaily, items: contents.items)
    try require(
      day.stories.reduce(0) { $0 + $1.images.count } == urls.count, "a day loses images")

    guard !urls.isEmpty else { return }
    let list = Array(urls.joined(separator: "\n").utf8)
    guard let listed = try? URLListFeed.contents(of: list) else {
      throw FuzzFailure(description: "cannot be read as a list: \(urls)")
    }
    var seen: Set<ExactString> = []
    let expected = urls.map { $0.trimmingWhiteSpace() }.filter {
      seen.insert(ExactString($0)).inserted
    }
    let found = listed.items.flatMap { $0.story.images.map(\.url) }
    try require(
      found.map { ExactString($0) } == expected.map { ExactString($0) }, "\(urls) became \(found)")
  }
}
