import HTTPListening
import ImageFeeds
import ImageModel
import TextEncodings

/// Writes the page of a story around its sanitised text.
struct ReaderStoryPage {
  /// A story beside it in its list.
  struct Neighbour {
    var title: String
    /// The language of the title, as a tag; `nil` if unknown.
    var titleLanguage: String?
    /// The target of its page.
    var target: String
  }

  /// What its day tells of the story.
  struct Entry {
    var id: String
    var day: DayKey
    /// For example the author.
    var hint: String?
    /// The title of its feed.
    var feed: String?
    var previous: Neighbour?
    var next: Neighbour?
  }

  var page: StoryPage
  var entry: Entry?
  /// The current day.
  var today = DayKey(ordinal: 0)
  var language: PageLanguage
  /// Whether it was chosen, so that other pages are to keep it.
  var isChosen = false
  /// The path in front of every route.
  var base = ""

  func html(image: @escaping (_ url: String) -> PageImage?) throws(ImageError) -> String {
    html(text: try page.sanitized(image: image), header: page.header.flatMap(image))
  }

  func html(text: String, header image: PageImage?) -> String {
    let title = HTMLText.escaped(page.title)
    let tongue = page.titleLanguage.map { " lang=\"\($0)\"" } ?? ""
    let data = entry.map { " data-story=\"\(HTMLText.escaped($0.id))\" data-day=\"\($0.day)\"" }
    let web = webHost.map { _ in
      """
      <a class="web" href="\(HTMLText.escaped(page.url))" rel="noopener noreferrer" target="_blank" \
      aria-label="\(say(.openOnWeb))">↗</a>
      """
    }
    return """
      <!DOCTYPE html>
      <html lang="\(language.tag)">
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      \(ReaderPage.links(base, language))
      <link rel="stylesheet" href="\(base)/reader/theme.css">
      <link rel="stylesheet" href="\(base)/reader/story.css">
      <link rel="stylesheet" href="\(base)/reader/layers.css">
      <script type="module" src="\(base)/reader/story.js"></script>
      </head>
      <body>
      <a class="skip" href="#text">\(say(.skipToText))</a>
      <nav class="top" aria-label="\(say(.pages))"><a class="back" href="\(base)/\(query)">‹ \(say(.back))</a>\
      <span class="name" aria-hidden="true"\(tongue) dir="auto">\(title)</span>\
      <span class="tools"></span>\(web ?? "")</nav>
      <main\(data ?? "")><article id="text" tabindex="-1" dir="auto"\(tongue)>
      \(image.map(header) ?? "")
      <h1 dir="auto">\(title)</h1>
      \(facts)
      \(text)
      </article>\(beside)</main>
      </body>
      </html>

      """
  }

  private var query: String { isChosen ? "?lang=\(language.rawValue)" : "" }

  /// The host of a page on the web; `nil` for another.
  private var webHost: String? {
    guard let url = WebURL(page.url) else { return nil }
    return url.host
  }

  private func header(_ image: PageImage) -> String {
    let double = image.doubleSource.map { " srcset=\"\(HTMLText.escaped($0)) 2x\"" } ?? ""
    let source = HTMLText.escaped(image.source)
    let credit = page.headerCredit.map {
      "<figcaption dir=\"auto\">\(say(.pictureCredit))\(HTMLText.escaped($0))</figcaption>"
    }
    return """
      <figure class="header"><img class="header" src="\(source)"\(double) alt="">\(credit ?? "")</figure>
      """
  }

  /// Author, day and feed, else the host, as far as they are known.
  private var facts: String {
    var facts: [String] = []
    if let hint = entry?.hint {
      facts.append("<span dir=\"auto\">\(HTMLText.escaped(hint))</span>")
    }
    if let day = entry?.day {
      let parts = "\(day)"
      let date = "\(parts.prefix(4))-\(parts.dropFirst(4).prefix(2))-\(parts.suffix(2))"
      let label = HTMLText.escaped(DayLabel.text(for: day, today: today, in: language))
      facts.append("<time datetime=\"\(date)\">\(label)</time>")
    }
    if let host = webHost {
      facts.append(
        """
        <a href="\(HTMLText.escaped(page.url))" rel="noopener noreferrer" target="_blank">\
        \(HTMLText.escaped(entry?.feed ?? host))<span aria-hidden="true"> ↗</span></a>
        """)
    }
    guard !facts.isEmpty else { return "" }
    return "<p class=\"facts\" lang=\"\(language.tag)\" dir=\"auto\">\(facts.joined())</p>"
  }

  /// The ways to the stories beside it.
  private var beside: String {
    func link(_ neighbour: Neighbour?, _ relation: String, _ text: ReaderText) -> String {
      guard let neighbour else { return "" }
      let tongue = neighbour.titleLanguage.map { " lang=\"\($0)\"" } ?? ""
      return """
        <a rel="\(relation)" referrerpolicy="same-origin" \
        href="\(HTMLText.escaped(neighbour.target))\(query)"><small>\(say(text))</small>\
        <span dir="auto"\(tongue)>\(HTMLText.escaped(neighbour.title))</span></a>
        """
    }
    let links =
      link(entry?.previous, "prev", .previousStory) + link(entry?.next, "next", .nextStory)
    return links.isEmpty
      ? "" : "<nav class=\"beside\" aria-label=\"\(say(.besideStories))\">\(links)</nav>"
  }

  private func say(_ text: ReaderText) -> String {
    HTMLText.escaped(text.text(in: language))
  }
}

extension ReaderStoryPage.Entry {
  /// - Parameters:
  ///   - paged: The identifiers of stories with a page; those beside it are among these.
  ///   - target: The target of the page of a story.
  init(
    of story: FeedStory, in day: FeedDay, paged: Set<String>, target: (_ id: String) -> String
  ) {
    self.init(id: story.id, day: day.day, hint: story.hint, feed: story.feed?.title)
    let list = [day.stories, day.topStories].first { $0.contains { $0.id == story.id } } ?? []
    let readable = list.filter { paged.contains($0.id) || $0.id == story.id }
    guard let place = readable.firstIndex(where: { $0.id == story.id }) else { return }
    func neighbour(_ index: Int) -> ReaderStoryPage.Neighbour? {
      guard readable.indices.contains(index) else { return nil }
      let other = readable[index]
      return .init(
        title: StoryLabel.text(of: other), titleLanguage: other.titleLanguage,
        target: target(other.id))
    }
    previous = neighbour(place - 1)
    next = neighbour(place + 1)
  }
}
