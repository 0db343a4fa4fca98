/// The title and the address of a feed, for people.
public struct FeedReference: Sendable, Hashable, Codable {
  /// The title as the feed spells it, on one line; `nil` if it has none.
  public var title: String?
  /// The URL without user and password, or the path; `-` for the standard input, and for Zhihu
  /// Daily the first base of its API.
  public var url: String

  static let maximumTitleLength = 200

  /// White space of the title is collapsed; a blank one is none, and a long one is cut at 200
  /// characters.
  public init(title: String?, url: String) {
    let words = title?.split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
    self.title = words.isEmpty ? nil : String(words.prefix(Self.maximumTitleLength))
    self.url = url
  }

  /// The title, else the URL.
  public var label: String { title ?? url }

  /// Whether a text that a user wrote means this feed: its URL, its whole title, or a part of
  /// either, whatever the case.
  public func matches(_ text: String) -> Bool {
    let text = text.lowercased()
    return [title, url].contains { $0?.lowercased().contains(text) ?? false }
  }
}
