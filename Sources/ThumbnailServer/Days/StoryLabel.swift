import ImageFeeds
import TextEncodings

/// The label of a story in a list: its title, or for a blank one its source.
enum StoryLabel {
  /// Characters of a name in a URL that are shown.
  private static let maximumLength = 100

  /// Returns the title; for a blank one the host and the last name in the path of the story's URL,
  /// else of its first image's; the identifier where there is no such URL.
  static func text(of story: FeedStory) -> String {
    let isBlank = story.title.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    guard isBlank else { return story.title }
    return [story.link, story.images.first?.url].lazy.compactMap { $0.flatMap(text) }.first
      ?? story.id
  }

  /// `https://example.org/a/photo%201.jpg?x` is `example.org · photo 1.jpg`.
  private static func text(ofURL url: String) -> String? {
    guard let start = url.firstRange(of: "://")?.upperBound else { return nil }
    let rest = url[start...].prefix { $0 != "?" && $0 != "#" }
    let parts = rest.split(separator: "/")
    // A user's name before the host is not part of it.
    guard let host = parts.first?.split(separator: "@").last, !host.isEmpty else { return nil }
    guard parts.count > 1, let last = parts.last else { return String(host) }
    let name = QueryPairs.decoded(last) ?? String(last)
    return "\(host) · \(name.prefix(maximumLength))"
  }
}
