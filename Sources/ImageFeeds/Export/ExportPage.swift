import ImageModel
import TextEncodings

struct ExportPage {
  private static let coverSizes = "(max-width: 620px) 100vw, 380px"
  private static let eagerCount = 6

  private let index: ExportIndex
  private let words: ExportWords
  private let overview: String
  private let neighbors: ExportNeighbors
  private let namesFeeds: Bool

  /// - Parameter overview: The name of the page of all days, in the folder above.
  init(
    _ index: ExportIndex, overview: String,
    neighbors: ExportNeighbors = .init(previous: nil, next: nil)
  ) {
    self.index = index
    self.overview = overview
    self.neighbors = neighbors
    namesFeeds = index.namesFeeds
    words = ExportWords(titles: index.stories.map { $0.title ?? "" })
  }

  var html: String {
    let cards = index.cards
    let day = words.date(index.day)
    return ExportDocument.html(
      title: day, neighbors: neighbors.head,
      navigation: "<nav><a href=\"../\(overview)\">‹ \(words.allDays)</a>"
        + neighbors.navigation(words) + "</nav>",
      count: words.count(stories: cards.count, images: index.images.count),
      main: cards.enumerated().map { html(of: $1, isLazy: $0 >= Self.eagerCount) }
        .joined(separator: "\n"),
      words: words, hasViewer: true)
  }

  private func html(of card: ExportCard, isLazy: Bool) -> String {
    let story = card.story
    let title = ExportDocument.line(story.title ?? "")
    var shown: Set<ExactString> = []
    let text = story.text.flatMap { sanitized($0, of: story, showing: &shown) }
    // The larger of an article's own images is its cover; those of the text are in the text.
    var others = card.images.filter { !shown.contains(ExactString($0.url)) }
    let largest = others.indices.max { area(of: others[$0]) < area(of: others[$1]) }
    var cover: ExportIndex.Image?
    var role = "cover"
    if let largest {
      cover = others.remove(at: largest)
    } else {
      // The article's own image, which its text repeats.
      cover = card.images.first { $0.role != FeedImage.Role.body.rawValue }
      role += " repeated"
    }
    let manners = ExportDocument.manners(of: title, words: words)
    let heading = title.isEmpty ? words.images : HTMLText.escaped(title)
    let image = cover.map { figure($0, title, role, Self.coverSizes, isLazy: isLazy) } ?? ""
    let article = text.map { details(of: story, text: $0) } ?? ""
    return """
      <article>
      \(image)
      <div class="words">
      <h2\(manners)>\(heading)</h2>
      \(byline(of: story))
      \(others.isEmpty ? "" : strip(others, title))
      \(article)
      \(link(to: story))
      </div>
      </article>
      """
  }

  private func details(of story: ExportIndex.Story, text: String) -> String {
    let language = ExportWords.language(of: story.title ?? "").map { " lang=\"\($0)\"" } ?? ""
    return """
      <details><summary>\(words.text)</summary>
      <div class="text"\(language)>\(text)</div></details>
      """
  }

  private func area(of image: ExportIndex.Image) -> Int {
    guard image.file != nil, image.placeholder != true else { return -1 }
    // Sides are limited, but an index may hold any number.
    return (image.width ?? 0).multipliedReportingOverflow(by: image.height ?? 0).partialValue
  }

  private func byline(of story: ExportIndex.Story) -> String {
    var parts: [String] = []
    if let author = story.author, !author.isEmpty {
      parts.append("<span dir=\"auto\">\(HTMLText.escaped(ExportDocument.line(author)))</span>")
    }
    if let date = story.date, date != index.day.dashed, let day = DayKey(date) {
      parts.append("<time datetime=\"\(day.dashed)\">\(words.date(day))</time>")
    }
    if namesFeeds, let feed = story.feed {
      parts.append("<span dir=\"auto\">\(HTMLText.escaped(feed.label))</span>")
    }
    return parts.isEmpty ? "" : "<p class=\"by\">\(parts.joined(separator: " · "))</p>"
  }

  private func link(to story: ExportIndex.Story) -> String {
    guard let link = story.link, link.hasPrefix("https://") || link.hasPrefix("http://"),
      link.utf8.count <= HTMLSanitizer.maximumAddressByteCount
    else { return "" }
    return """
      <p class="web"><a href="\(HTMLText.escaped(link))" rel="noopener noreferrer" \
      target="_blank">\(words.web)<span aria-hidden="true">↗</span></a></p>
      """
  }

  private func strip(_ images: [ExportIndex.Image], _ title: String) -> String {
    let items = images.map { "<li>\(figure($0, title, "", "88px", isLazy: true))</li>" }
    return "<ul class=\"strip\">\(items.joined())</ul>"
  }

  private func figure(
    _ image: ExportIndex.Image, _ title: String, _ role: String, _ sizes: String, isLazy: Bool
  ) -> String {
    let alt = title.isEmpty ? words.images : title
    guard let file = image.file, image.placeholder != true else {
      let placeholder = ExportDocument.image(image, alt: "", sizes: sizes, isLazy: isLazy)
      let label = image.file == nil ? words.missing : words.placeholder
      return "<div class=\"missing \(role)\">\(placeholder)<span>\(label)</span></div>"
    }
    let role = role + (role.hasPrefix("cover") && ExportDocument.isSmall(image) ? " small" : "")
    return "<a class=\"zoom \(role)\" href=\"\(ExportDocument.address(file))\"\(size(image))>"
      + ExportDocument.image(image, alt: alt, sizes: sizes, isLazy: isLazy) + "</a>"
  }

  private func size(_ image: ExportIndex.Image) -> String {
    guard let width = image.width, let height = image.height else { return "" }
    return " data-width=\"\(width)\" data-height=\"\(height)\""
  }

  private func sanitized(
    _ html: String, of story: ExportIndex.Story, showing shown: inout Set<ExactString>
  ) -> String? {
    let title = ExportDocument.line(story.title ?? "")
    let seen = Locked<Set<ExactString>>([])
    let missing = missing
    let page = StoryPage(title: story.title ?? "", url: story.link ?? "", html: html)
    let text = try? page.sanitized { url in
      guard let image = index[url], let file = image.file, image.placeholder != true else {
        return missing
      }
      seen.withLock { _ = $0.insert(ExactString(url)) }
      return PageImage(
        source: ExportDocument.address(file), description: title, width: image.width ?? 0,
        height: image.height ?? 0)
    }
    shown = seen.withLock { $0 }
    return text
  }

  /// A drawing that marks an image of a text that was not exported.
  private var missing: PageImage {
    let drawing = """
      <svg xmlns="http://www.w3.org/2000/svg" width="480" height="96"><style>rect{fill:#8884}\
      text{font:16px sans-serif;fill:#555}@media(prefers-color-scheme:dark){text{fill:#bbb}}</style>\
      <rect width="480" height="96" rx="8"/><text x="240" y="54" text-anchor="middle">\
      \(words.missing)</text></svg>
      """
    return PageImage(
      source: "data:image/svg+xml," + PercentEncoding.encoded(drawing),
      description: words.missing, width: 480, height: 96)
  }
}
