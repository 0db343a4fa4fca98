import ImageModel
import TextEncodings

enum ExportDocument {
  private static let style = String(decoding: PackageResources.export_css, as: UTF8.self)
  private static let script = String(decoding: PackageResources.export_js, as: UTF8.self)

  static func html(
    title: String, neighbors: String = "", navigation: String = "", count: String, main: String,
    words: ExportWords, hasViewer: Bool
  ) -> String {
    // The text of stories is sanitised; the policy would hold even if it were not.
    let policy = """
      default-src 'none'; img-src 'self' file: data:; style-src '\(digest(style))'; \
      script-src '\(hasViewer ? digest(script) : "none")'; base-uri 'none'; form-action 'none'
      """
    return """
      <!DOCTYPE html>
      <html lang="\(words.language)">
      <head>
      <meta charset="utf-8">
      \(ExportPageFile.mark(neighbors))"\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <style>\(style)</style>
      </head>
      <body>
      <header>\(navigation)<h1>\(title)</h1><p>\(count)</p></header>
      <main>
      \(main)
      </main>
      \(hasViewer ? viewer(words) + "\n<script>\(script)</script>" : "")
      </body>
      </html>

      """
  }

  private static func viewer(_ words: ExportWords) -> String {
    """
    <dialog id="viewer" tabindex="-1" autofocus aria-label="\(words.viewer)">
    <figure><img alt=""><figcaption aria-live="polite"><span class="name" dir="auto"></span> \
    <span class="place"></span></figcaption></figure>
    <button class="previous" type="button" aria-label="\(words.previous)">‹</button>
    <button class="next" type="button" aria-label="\(words.next)">›</button>
    <button class="close" type="button" aria-label="\(words.close)">×</button>
    </dialog>
    """
  }

  private static func digest(_ text: String) -> String {
    let hash = Array(text.utf8).withUnsafeBytes { SHA256.hash(of: $0) }
    return "sha256-" + Base64.encoded(hash.bytes)
  }

  /// - Parameter folder: The prefix of the names, such as `20200616/`.
  static func image(
    _ image: ExportIndex.Image, in folder: String = "", alt: String, sizes: String, isLazy: Bool
  ) -> String {
    guard let file = image.file else { return "" }
    let thumbnails =
      isSmall(image)
      ? []
      : (image.thumbnails ?? []).filter { $0.width > 0 && $0.height > 0 }
        .sorted { $0.width < $1.width }
    var tag = "<img src=\"\(folder)\(address(thumbnails.first?.file ?? file))\""
    if !thumbnails.isEmpty, let width = image.width {
      var candidates = thumbnails.map { "\(folder)\(address($0.file)) \($0.width)w" }
      if let widest = thumbnails.last?.width, width > widest {
        candidates.append("\(folder)\(address(file)) \(width)w")
      }
      tag += " srcset=\"\(candidates.joined(separator: ", "))\" sizes=\"\(sizes)\""
    }
    if let width = image.width, let height = image.height, image.placeholder != true {
      tag += " width=\"\(width)\" height=\"\(height)\""
    }
    return tag
      + " alt=\"\(HTMLText.escaped(alt))\"\(isLazy ? " loading=\"lazy\"" : "") decoding=\"async\">"
  }

  /// Whether an image would be blurred by enlarging it to a cover: it is shown at its own size.
  static func isSmall(_ image: ExportIndex.Image) -> Bool {
    guard let width = image.width, let height = image.height else { return false }
    return min(width, height) < 240
  }

  static func address(_ file: String) -> String {
    file.split(separator: "/").map { PercentEncoding.encoded(String($0)) }.joined(separator: "/")
  }

  /// A title in one line, shortened if it is longer than any headline.
  static func line(_ title: String) -> String {
    let beginning = title.unicodeScalars.prefix(2000)
    let words = String(beginning).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return words.count > 300 ? words.prefix(300) + "…" : words
  }

  /// The attributes of an element with a title: its language, and a separate text direction.
  static func manners(of title: String, words: ExportWords) -> String {
    let language = ExportWords.language(of: title)
    let isKnown = language == nil || language == words.language
    return " dir=\"auto\"" + (isKnown ? "" : " lang=\"\(language ?? "")\"")
  }
}
