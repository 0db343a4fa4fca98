import ImageModel

/// The images inside the text of a story.
///
/// One URL for each element: the true URL of an image that is loaded late (`data-original`,
/// `data-actualsrc`), else the largest candidate of `srcset`, of `data-srcset` and of the `source`
/// elements of a `picture`, else `data-src` or `src`. Placeholders that are not URLs are skipped.
struct StoryBody: Sendable, Hashable {
  /// Each once, in order of appearance. Absolute ones are spelled as in the text, entities decoded.
  let imageURLs: [String]

  /// Reads HTML, whole or a piece, however badly it is formed.
  ///
  /// - Throws: `ImageError` with code `tooLarge` for more than 16 MiB.
  init(html: String, base: String) throws(ImageError) {
    guard html.utf8.count > Markup.maximumHTMLByteCount || Self.mayHaveImages(html) else {
      imageURLs = []
      return
    }
    var seen: Set<ExactString> = []
    var urls: [String] = []
    var images = ImageElements()
    try Markup.readHTML(html) { step in
      switch step {
      case .opens(let element):
        if let url = images.open(element, base: base), seen.insert(ExactString(url)).inserted {
          urls.append(url)
        }
      case .text: break
      case .closes: images.close()
      }
    }
    imageURLs = urls
  }

  /// Whether the letters `img` or `fig`, of `img`, `amp-img` and `figure`, are anywhere in HTML: most
  /// texts of feeds have no image, and need not be parsed to find none.
  private static func mayHaveImages(_ html: String) -> Bool {
    var html = html
    return html.withUTF8 { bytes in
      var last = 0 as UInt32
      // The parser skips NUL.
      for byte in bytes where byte != 0 {
        last = (last << 8 | UInt32(byte | 0x20)) & 0xFF_FFFF
        if last == 0x69_6D67 || last == 0x66_6967 { return true }
      }
      return false
    }
  }
}
