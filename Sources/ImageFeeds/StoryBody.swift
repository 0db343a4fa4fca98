import ImageModel

/// The images inside the text of a story.
///
/// One URL for each element: the true URL of an image that is loaded late (`data-original`,
/// `data-actualsrc`), else the largest candidate of `srcset`, of `data-srcset` and of the `source`
/// elements of a `picture`, else `data-src` or `src`. Placeholders that are not URLs are skipped.
public struct StoryBody: Sendable, Hashable {
  /// The http(s) URLs, each once, in order of appearance. Absolute ones are spelled as in the text,
  /// entities decoded.
  public let imageURLs: [String]

  /// Reads HTML, whole or a piece, however badly it is formed.
  ///
  /// - Parameters:
  ///   - html: The text of the story.
  ///   - base: The URL of the page, which relative ones refer to.
  /// - Throws: `ImageError` with code `tooLarge` for more than 16 MiB.
  public init(html: String, base: String) throws(ImageError) {
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
}
