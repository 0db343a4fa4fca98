import ImagePipeline

/// The pictures inside the text of a story.
///
/// Pages load their pictures late, so the true address is looked for first in `data-original`, then in
/// `data-actualsrc`, then in `src`; placeholders that are no address of the web are passed over.
public struct StoryBody: Sendable, Hashable {
  /// The addresses, http or https, each once, in order of appearance. Those that are absolute in the
  /// text are spelled as there, entities decoded.
  public let imageURLs: [String]

  /// Reads HTML, whole or a piece, however badly it is formed.
  ///
  /// - Parameters:
  ///   - html: The text of the story.
  ///   - base: The address of the page, against which relative addresses are meant.
  /// - Throws: ``ImageError`` with code `tooLarge` for more than 16 MiB.
  public init(html: String, base: String) throws(ImageError) {
    var seen: Set<String> = []
    imageURLs = try Markup.html(html, elementsNamed: ["img", "amp-img"]).compactMap { image in
      Self.picture(image, base: base).flatMap { seen.insert($0).inserted ? $0 : nil }
    }
  }

  /// `data-src` is not Zhihu's; other sites use it in the same way, with a placeholder in `src`.
  private static let attributes = ["data-original", "data-actualsrc", "src", "data-src"]

  /// The address of the picture that an element shows; `nil` for counters and for what shows none.
  static func picture(_ image: MarkupElement, base: String) -> String? {
    guard !isPixel(image), let url = address(of: image, base: base), !Trackers.known.contains(url)
    else { return nil }
    return url
  }

  private static func address(of image: MarkupElement, base: String) -> String? {
    for name in attributes {
      if let text = image.attributes[name], let url = WebAddress.resolve(text, against: base) {
        return url
      }
    }
    return nil
  }

  /// A picture of at most one pixel a side shows nothing; it counts readers.
  private static func isPixel(_ image: MarkupElement) -> Bool {
    func isTiny(_ name: String) -> Bool {
      image.attributes[name].map { ["0", "1", "0px", "1px"].contains($0) } ?? false
    }
    return isTiny("width") && isTiny("height")
  }
}
