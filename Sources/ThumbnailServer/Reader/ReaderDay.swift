/// A day as the page shows it: the part of the response to `GET /days/{day}` that the reader needs.
///
/// All addresses are complete, and signed if the server requires it; the page builds none itself.
struct ReaderDay: Sendable, Hashable, Codable {
  struct Picture: Sendable, Hashable, Codable {
    /// By what they are for: `list`, `hero`, `page`.
    var thumbs: [String: DayDescription.Thumbnail]
  }

  struct Story: Sendable, Hashable, Codable {
    var title: String
    /// The label if its title is blank; see ``StoryLabel``.
    var label: String?
    /// The language of the title, as a tag; `nil` if unknown.
    var lang: String?
    /// For example the author.
    var hint: String?
    /// The page on the web.
    var url: String?
    /// Our page, where the cache has it.
    var page: String?
    var images: [Picture]
  }

  enum CodingKeys: String, CodingKey {
    case day, stories
    case topStories = "top_stories"
  }

  /// `YYYYMMDD`.
  var day: String
  /// In the feed's order; the page that is sent first shows ``ReaderPage/firstRowCount`` of them,
  /// and more need not be given.
  var stories: [Story]
  /// Those of the carousel; the first is in the page that is sent.
  var topStories: [Story]
}
