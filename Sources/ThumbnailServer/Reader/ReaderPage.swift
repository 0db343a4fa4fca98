import HTTPListening
import ImageFeeds
import TextEncodings

/// Writes the page: its frame and the first screen of a day or of the list of days, so that this
/// much is seen before any script ran, and where none runs. The script then puts the whole day in
/// its place, of the same size.
struct ReaderPage {
  /// How many stories are written; the others come with the script.
  static let firstRowCount = 12

  var day: DayDescription?
  /// The first of the days before, where these are shown first.
  var pastDays: [DayKey]?
  /// Whether the address names the day; else it is the newest one.
  var isDayChosen = false
  /// What the address names and the cache does not have.
  var absent: ReaderText?
  /// The path in front of every route.
  var base = ""
  var today: DayKey
  /// The seconds that its time zone is ahead of UTC.
  var offset = 8 * 3600
  var language: PageLanguage
  /// Whether it was chosen, so that our other pages are to keep it; else each goes by the browser.
  var isChosen = false
  /// The number of feeds in the cache: of several, each story names its own.
  var feedCount = 1
  /// The feed whose stories alone are shown; `nil` for all.
  var feed: FeedReference?

  var html: String {
    let isPlain = pastDays != nil || day.map(\.topStories.isEmpty) ?? false
    return """
      <!DOCTYPE html>
      <html lang="\(language.tag)" data-today="\(today)" data-offset="\(offset)" data-feeds="\(feed == nil ? feedCount : 1)"\
      \(pastDays == nil ? "" : " data-shows=\"past\"")>
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="referrer" content="no-referrer">
      <meta name="theme-color" content="#0a6fa3">
      \(Self.links(base, language))
      <link rel="stylesheet" href="\(base)/reader/theme.css">
      <link rel="stylesheet" href="\(base)/reader/reader.css">
      <script type="module" src="\(base)/reader/start.js"></script>
      </head>
      <body>
      <a class="skip" href="#page-today">\(say(.skipToStories))</a>
      <header id="bar"\(isPlain ? " class=\"plain solid\"" : "")>
      <h1 dir="auto">\(feed.map { HTMLText.escaped($0.label) } ?? say(.title))</h1>
      <button id="search" type="button" aria-label="\(say(.search))" aria-haspopup="dialog">\
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><circle cx="10.5" cy="10.5" r="6.5"/>\
      <path d="M15.5 15.5 21 21"/></svg></button>
      <button id="calendar" type="button" aria-label="\(say(.calendar))" aria-haspopup="dialog">\
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M4 6h16v14H4zM4 10.5h16M8.5 3v5M15.5 3v5"/>\
      </svg></button>
      <button id="settings" type="button" aria-label="\(say(.settings))" aria-haspopup="dialog">\
      <svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M3 7h9M18 7h3M3 17h3M12 17h9"/>\
      <circle cx="15" cy="7" r="3"/><circle cx="9" cy="17" r="3"/></svg></button>
      <span class="refresh"><svg id="ring" viewBox="0 0 28 28" data-state="rest" data-progress="0" \
      aria-hidden="true"><circle class="ground" cx="14" cy="14" r="12"/>\
      <circle class="arc" cx="14" cy="14" r="12" pathLength="100"/></svg>\
      <button id="refresh" type="button" aria-label="\(say(.refresh))"><svg class="icon" \
      viewBox="0 0 24 24" aria-hidden="true"><path d="M19 12a7 7 0 1 1-2-5M17 3v4h-4"/></svg></button></span>
      </header>
      <main id="pages">
      <section class="page\(day.map(\.topStories.isEmpty) ?? false ? " without-banner" : "")" id="page-today" \
      role="tabpanel" aria-labelledby="tab-today" aria-busy="true" tabindex="-1"><div class="inner">
      \(banner)
      <div class="feed">\(firstRows)</div>
      <button class="more" type="button" hidden></button>
      </div></section>
      <section class="page" id="page-past" role="tabpanel" aria-labelledby="tab-past" \
      tabindex="-1"><div class="inner"><div class="pull-place"></div>\
      <div class="feeds"></div><div class="days">\(pastRows)</div></div></section>
      <section class="page" id="page-favourites" role="tabpanel" aria-labelledby="tab-favourites" \
      tabindex="-1"><div class="inner"><div class="marked"></div></div></section>
      </main>
      <div id="spinner" role="status" aria-label="\(say(.loading))" hidden></div>
      <nav id="tabs" aria-label="\(say(.pages))"><div role="tablist">\(tabs)</div>\
      <span class="indicator"></span></nav>
      </body>
      </html>

      """
  }

  private func say(_ text: ReaderText) -> String {
    HTMLText.escaped(text.text(in: language))
  }

  /// What a page names for browsers: its icons, and the application that it can be installed as.
  static func links(_ base: String, _ language: PageLanguage) -> String {
    """
    <link rel="icon" href="\(base)/reader/icon.svg" type="image/svg+xml">
    <link rel="apple-touch-icon" href="\(base)/reader/icon-192.png">
    <link rel="manifest" href="\(base)/reader/\(language.rawValue).webmanifest">
    """
  }

  private var title: String {
    guard isDayChosen, let key = day.flatMap({ DayKey($0.day) }) else { return say(.title) }
    return
      "\(HTMLText.escaped(DayLabel.text(for: key, today: today, in: language))) · \(say(.title))"
  }

  /// The query of addresses of this page: what is chosen.
  private var query: String {
    var pairs: [QueryPairs.Pair] = []
    if isChosen { pairs.append(.init(key: "lang", value: language.rawValue)) }
    if let feed { pairs.append(.init(key: "feed", value: feed.url)) }
    return pairs.isEmpty ? "" : HTMLText.escaped(QueryPairs.target("", pairs))
  }

  private var tabs: String {
    let shown = pastDays == nil ? ReaderText.today : .past
    let addresses = [
      (ReaderText.today, "/\(query)"), (.past, "/days\(query)"),
      (.favourites, "/\(query)#favourites"),
    ]
    return addresses.map { tab, address in
      """
      <a role="tab" id="tab-\(tab)" href="\(base)\(address)" aria-controls="page-\(tab)" \
      aria-selected="\(tab == shown)" tabindex="\(tab == shown ? 0 : -1)"><span>\(say(tab))</span></a>
      """
    }.joined()
  }

  private var pastRows: String {
    (pastDays ?? []).map { day in
      """
      <section class="past-day" data-day="\(day)"><a class="day-head" \
      href="\(base)/days/\(day)\(query)"><span class="title">\
      \(HTMLText.escaped(DayLabel.text(for: day, today: today, in: language)))</span>\
      <span class="hint">&nbsp;</span></a></section>
      """
    }.joined()
  }

  private var banner: String {
    guard let story = day?.topStories.first else {
      return "<section class=\"banner\"\(day == nil ? "" : " hidden")></section>"
    }
    let image = story.images.first.flatMap {
      picture($0, "hero")
    }
    return """
      <section class="banner" aria-label="\(say(.carousel))"><div class="strip">\
      <a class="slide"\(link(story))>\(image ?? "<span class=\"picture hero\"></span>")\
      <span class="words"><strong\(Self.tongue(of: story)) dir="auto">\(HTMLText.escaped(story.label))\(away(story))</strong>\
      \(hint(of: story))</span></a></div></section>
      """
  }

  private var firstRows: String {
    let notice = absent.map { "<p class=\"notice\" role=\"status\">\(say($0))</p>" } ?? ""
    guard let day, let key = DayKey(day.day) else {
      return "\(notice)<noscript><div class=\"empty\"><p>\(say(.firstRun))</p></div></noscript>"
    }
    let label = HTMLText.escaped(DayLabel.text(for: key, today: today, in: language))
    let rows = day.stories.prefix(Self.firstRowCount).map(row).joined()
    guard !rows.isEmpty else { return "" }
    return """
      \(notice)<section class="day" data-day="\(key)" aria-label="\(label)"><h2>\(label)</h2>\
      <div class="stories" role="list">\(rows)</div></section>
      """
  }

  private func row(_ story: DayDescription.Story) -> String {
    let image = story.images.first.flatMap { picture($0, "list") }
    let isFull = story.images.isEmpty
    return """
      <div class="row\(isFull ? " full" : "")" role="listitem"><a class="open"\(link(story))>\
      <span class="title"\(Self.tongue(of: story)) dir="auto">\(HTMLText.escaped(story.label))\(away(story))</span>\
      \(hint(of: story))</a>\(image ?? "")</div>
      """
  }

  private static func tongue(of story: DayDescription.Story) -> String {
    story.lang.map { " lang=\"\(HTMLText.escaped($0))\"" } ?? ""
  }

  private func hint(of story: DayDescription.Story) -> String {
    let feed = feedCount > 1 && feed == nil ? story.feed?.title : nil
    let parts = [story.hint, feed].compactMap(\.self)
    guard !parts.isEmpty else { return "" }
    let text = HTMLText.escaped(parts.joined(separator: " · "))
    return "<span class=\"hint\" dir=\"auto\">\(text)</span>"
  }

  private func link(_ story: DayDescription.Story) -> String {
    if let page = story.page, page.hasPrefix("/"), !page.hasPrefix("//") {
      let query = isChosen ? "?lang=\(language.rawValue)" : ""
      return " href=\"\(HTMLText.escaped(page))\(query)\" referrerpolicy=\"same-origin\""
    }
    guard let url = story.url, url.hasPrefix("https://") || url.hasPrefix("http://") else {
      return " href=\"#\""
    }
    return " href=\"\(HTMLText.escaped(url))\" rel=\"noopener noreferrer\" target=\"_blank\""
  }

  /// The sign of a story that leaves for the web; empty for one that is read here.
  private func away(_ story: DayDescription.Story) -> String {
    guard link(story).contains("target=") else { return "" }
    return "<span class=\"away\" role=\"img\" aria-label=\"\(say(.opensOnWeb))\"> ↗</span>"
  }

  private func picture(_ picture: DayDescription.Image, _ preset: String) -> String? {
    guard let thumb = picture.thumbs[preset] else { return nil }
    func set(_ single: String?, _ double: String?) -> String {
      let targets = [single.map { "\($0) 1x" }, double.map { "\($0) 2x" }]
      return HTMLText.escaped(targets.compactMap(\.self).joined(separator: ", "))
    }
    // Where the window is wide, pictures are larger; as in reader.css and pictures.js.
    let (list, hero, page) = (
      picture.thumbs["list"], picture.thumbs["hero"], picture.thumbs["page"]
    )
    let (width, wide) =
      preset == "list"
      ? ("56.25em", set(list?.double, hero?.single)) : ("37.5em", set(page?.single, page?.double))
    let source = wide.isEmpty ? "" : "<source media=\"(min-width: \(width))\" srcset=\"\(wide)\">"
    let size = thumb.height > 0 ? " width=\"\(thumb.width)\" height=\"\(thumb.height)\"" : ""
    return """
      <span class="picture \(preset)"><picture>\(source)<img alt="" \
      src="\(HTMLText.escaped(thumb.single))" srcset="\(set(thumb.single, thumb.double))"\(size) \
      decoding="async"></picture></span>
      """
  }
}
