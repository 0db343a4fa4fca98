import ImageModel
import TextEncodings

/// The chapter of a story in an EPUB: title, author, date, images, text and link.
struct BookChapter {
  let day: DayKey
  /// The name of the file, without the folder.
  let file: String
  /// The title in one line, never empty.
  let title: String
  /// The tag of the chapter's language.
  let language: String

  init(_ card: ExportCard, of day: DayKey, number: Int, words: ExportWords) {
    self.day = day
    file = "\(day)-\(String(1_000_000 + number).dropFirst()).xhtml"
    let line = ExportDocument.line(card.story.title ?? "")
    let isNamed = BookText.escaped(line).contains { !$0.isWhitespace }
    title = isNamed ? line : card.images.isEmpty ? words.date(day) : words.images
    language = ExportWords.language(of: title) ?? words.language
  }

  /// Returns the XHTML document, and adds the images that it shows.
  ///
  /// - Parameter folder: The folder of the day.
  func document(
    _ card: ExportCard, _ index: ExportIndex, in folder: String, words: ExportWords,
    images: inout BookImages
  ) throws(ImageError) -> String {
    var failure: ImageError?
    var shown: Set<Int> = []
    let text = card.story.text.flatMap { html in
      try? BookText.xhtml(html, missing: words.missing) { source in
        do throws(ImageError) {
          let number =
            source.hasPrefix("data:")
            ? try images.add(dataURL: source)
            : try index[source].flatMap { image throws(ImageError) in
              try images.add(image, from: folder)
            }
          guard let number else { return nil }
          shown.insert(number)
          return Self.address(images.all[number])
        } catch {
          failure = failure ?? error
          return nil
        }
      }
    }
    if let failure { throw failure }
    var figures = ""
    for image in card.images {
      guard let number = try images.add(image, from: folder), shown.insert(number).inserted else {
        continue
      }
      figures += "<div class=\"image\"><img src=\"\(Self.address(images.all[number]))\""
      figures += " alt=\"\(BookText.escaped(title))\"/></div>\n"
    }
    return Self.page(
      title: title, language: language,
      body: """
        <h1 dir="auto">\(BookText.escaped(title))</h1>
        \(byline(of: card.story, words, namesFeed: index.namesFeeds))
        \(figures)<div class="text">\(text ?? "")</div>
        \(link(to: card.story, words))
        """)
  }

  static func page(title: String, language: String, body: String) -> String {
    """
    <?xml version="1.0" encoding="utf-8"?>
    <!DOCTYPE html>
    <html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" \
    lang="\(language)" xml:lang="\(language)">
    <head>
    <title>\(BookText.escaped(title))</title>
    <link rel="stylesheet" type="text/css" href="style.css"/>
    </head>
    <body>
    \(body)
    </body>
    </html>

    """
  }

  private static func address(_ image: BookImages.Image) -> String { "images/\(image.file)" }

  private func byline(
    of story: ExportIndex.Story, _ words: ExportWords, namesFeed: Bool
  ) -> String {
    let day = story.date.flatMap { DayKey($0) } ?? day
    let date = "<span>\(words.date(day))</span>"
    let author = ExportDocument.line(story.author ?? "")
    let names = [author, namesFeed ? story.feed?.label ?? "" : ""].filter { !$0.isEmpty }
    let texts = names.map { "<span dir=\"auto\">\(BookText.escaped($0))</span>" } + [date]
    return "<p class=\"by\">\(texts.joined(separator: " · "))</p>"
  }

  private func link(to story: ExportIndex.Story, _ words: ExportWords) -> String {
    guard let address = story.link.flatMap(BookText.address) else { return "" }
    return "<p class=\"by\"><a href=\"\(BookText.escaped(address))\">\(words.web)</a></p>"
  }
}
