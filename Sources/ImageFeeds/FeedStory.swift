/// One entry of a day: a story of Zhihu Daily or an item of another feed.
public struct FeedStory: Sendable, Hashable, Codable, Identifiable {
  /// The feed's identifier, digits for Zhihu Daily; never empty.
  public var id: String
  /// The title as the feed spells it. May hold line breaks: escape it before showing it.
  public var title = ""
  /// The images, in the feed's order; empty for a story without one, which is not an error.
  public var images: [FeedImage] = []
  /// The page, if any.
  public var url: String?
  /// The page to share, if any.
  public var shareURL: String?
  /// For example "author · 3 minutes"; of RSS, Atom and JSON Feed the authors.
  public var hint: String?
  /// The dominant colour as `RRGGBB` in lower case, if any.
  public var hue: String?
  /// Whether the feed marks the story as having many images.
  public var isMultipic = false
  /// 0 for a story, 1 for an external article without text in the feed.
  public var kind = 0
  /// When it was published, `MMDDHH`, if known.
  public var publicationPrefix: String?
  /// The feed that named it; of several the first.
  public var feed: FeedReference?

  /// Creates a story without images.
  public init(id: String, title: String = "") {
    self.id = id
    self.title = title
  }

  /// The page to open: ``url``, else ``shareURL``, else `nil`.
  public var link: String? { url ?? shareURL }

  /// The language of the title, by its letters, as a tag of BCP 47: `zh-CN`, `ja`, `ko` or `en`;
  /// `nil` if the letters indicate none.
  public var titleLanguage: String? { ExportWords.language(of: title) }
}
