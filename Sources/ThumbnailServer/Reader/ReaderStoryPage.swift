import HTTPListening
import ImageFeeds
import ImageModel
import TextEncodings

/// Writes the page of a story around its sanitised text.
struct ReaderStoryPage {
  var page: StoryPage
  var language: PageLanguage
  /// Whether it was chosen, so that the way back is to keep it.
  var isChosen = false

  func html(image: @escaping (_ url: String) -> PageImage?) throws(ImageError) -> String {
    html(text: try page.sanitized(image: image), header: page.header.flatMap(image))
  }

  func html(text: String, header image: PageImage?) -> String {
    let title = HTMLText.escaped(page.title)
    let isOnWeb = page.url.hasPrefix("https://") || page.url.hasPrefix("http://")
    let web =
      isOnWeb
      ? """
      <a href="\(HTMLText.escaped(page.url))" rel="noopener noreferrer" \
      target="_blank">\(say(.openOnWeb))<span aria-hidden="true"> ↗</span></a>
      """ : ""
    return """
      <!DOCTYPE html>
      <html lang="\(language.tag)">
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <link rel="icon" href="/reader/icon.svg" type="image/svg+xml">
      <link rel="stylesheet" href="/reader/theme.css">
      <link rel="stylesheet" href="/reader/story.css">
      <link rel="stylesheet" href="/reader/layers.css">
      <script type="module" src="/reader/story.js"></script>
      </head>
      <body>
      <nav aria-label="\(say(.pages))"><a href="/\(isChosen ? "?lang=\(language.rawValue)" : "")">‹ \(say(.back))</a>\(web)</nav>
      <main\(page.titleLanguage.map { " lang=\"\($0)\"" } ?? "")>
      \(image.map(header) ?? "")
      <h1>\(title)</h1>
      \(text)
      </main>
      </body>
      </html>

      """
  }

  private func header(_ image: PageImage) -> String {
    let double = image.doubleSource.map { " srcset=\"\(HTMLText.escaped($0)) 2x\"" } ?? ""
    let source = HTMLText.escaped(image.source)
    return "<img class=\"header\" src=\"\(source)\"\(double) alt=\"\">"
  }

  private func say(_ text: ReaderText) -> String {
    HTMLText.escaped(text.text(in: language))
  }
}
