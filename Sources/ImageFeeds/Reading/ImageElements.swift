import ImageCodecs
import ImageModel
import TextEncodings

/// Chooses the URL of each `img` on the way through HTML, with the `source` elements of the
/// `picture` around it.
///
/// A value that receives the steps of a parser: ``open(_:base:)`` for each element, ``close()`` for
/// each end.
struct ImageElements {
  /// The `picture` elements that are open, innermost last; `nil` for every other open element.
  private var open: [Int?] = []
  private var pictures: [[Candidate]] = []

  /// A URL with the descriptors of the size of its image.
  private struct Candidate {
    var url: String
    var width = 0
    var density = 1.0
    /// Of the media query of a `source`: for windows at least this wide.
    var minimumWidth = 0

    func isLarger(than other: Candidate) -> Bool {
      (width, density, minimumWidth) > (other.width, other.density, other.minimumWidth)
    }
  }

  /// Notes that an element begins.
  ///
  /// - Parameter base: The URL that its references are relative to.
  /// - Returns: The URL of the image that the element shows; `nil` if it shows none.
  mutating func open(_ element: MarkupElement, base: String) -> String? {
    var isPicture = false
    defer { open.append(isPicture ? pictures.count - 1 : nil) }
    switch element.name {
    case "picture":
      isPicture = true
      pictures.append([])
    case "source" where !pictures.isEmpty:
      pictures[pictures.count - 1] += Self.candidates(source: element, base: base)
    case "img", "amp-img":
      // A `picture` has one `img`; further ones must not go through its sources again and again.
      var sources: [Candidate] = []
      if !pictures.isEmpty { swap(&sources, &pictures[pictures.count - 1]) }
      return Self.url(of: element, sources: sources, base: base)
    default:
      break
    }
    return nil
  }

  /// Notes that the element that was opened last ends.
  mutating func close() {
    if let closed = open.popLast(), closed != nil { pictures.removeLast() }
  }

  // MARK: The choice

  /// The attributes of the true URL on Zhihu's pages, which load their images late; they precede
  /// all others.
  private static let originals = ["data-original", "data-actualsrc"]
  private static let lateSets = ["data-srcset", "data-lazy-srcset", "data-original-set"]
  /// Late-loading scripts of other sites leave a placeholder in `src`.
  private static let lateAddresses = [
    "data-src", "data-lazy-src", "data-lazy", "data-original-src", "data-full-src",
    "data-hi-res-src",
  ]

  /// The URL that an image element means: the true address of a page that loads late, else the
  /// largest candidate, else its address.
  private static func url(
    of image: MarkupElement, sources: [Candidate], base: String
  ) -> String? {
    guard !isPixel(image) else { return nil }
    if let original = first(of: originals, image, base) { return original }
    // Of equals the first wins: a `source` that is not known to be larger loses to the `img`.
    let candidates =
      self.candidates(of: image, sets: lateSets, base: base)
      + [first(of: lateAddresses, image, base)].compactMap { $0.map { Candidate(url: $0) } }
      + self.candidates(of: image, sets: ["srcset"], base: base)
      + [first(of: ["src"], image, base)].compactMap { $0.map { Candidate(url: $0) } }
      + sources
    guard var best = candidates.first else { return nil }
    for candidate in candidates.dropFirst() where candidate.isLarger(than: best) {
      best = candidate
    }
    return best.url
  }

  private static func first(
    of names: [String], _ element: MarkupElement, _ base: String
  ) -> String? {
    for name in names {
      if let text = element.attributes[name], let url = resolve(text, base) { return url }
    }
    return nil
  }

  /// Returns the URL of an image that can be fetched and is not a tracker; `nil` for any other.
  static func resolve(_ text: String, _ base: String) -> String? {
    // Lazy-loading scripts leave `image/svg+xml;utf8,<svg …>` behind, a data URL without its
    // scheme.
    guard !text.trimmingWhiteSpace().hasPrefix("image/svg+xml") else { return nil }
    return WebURL.resolve(text, against: base).flatMap { Trackers.known.contains($0) ? nil : $0 }
  }

  private static func candidates(
    of element: MarkupElement, sets: [String], base: String
  ) -> [Candidate] {
    sets.flatMap { name in
      SourceSet(element.attributes[name] ?? "").candidates.compactMap { candidate in
        resolve(candidate.url, base).map {
          Candidate(url: $0, width: candidate.width ?? 0, density: candidate.density ?? 1)
        }
      }
    }
  }

  /// The candidates of a `source`, unless its format cannot be decoded or it is meant for paper.
  private static func candidates(source: MarkupElement, base: String) -> [Candidate] {
    if let type = source.attributes["type"], !type.isEmpty, !isDecodable(type) { return [] }
    let media = (source.attributes["media"] ?? "").lowercased()
    guard !media.hasPrefix("print") else { return [] }
    return candidates(of: source, sets: lateSets + ["srcset"], base: base).map { candidate in
      var candidate = candidate
      candidate.minimumWidth = minimumWidth(media)
      return candidate
    }
  }

  private static func isDecodable(_ type: String) -> Bool {
    let essence = String(type.lowercased().prefix { $0 != ";" }).trimmingWhiteSpace()
    if ["image/jpg", "image/pjpeg", "image/apng"].contains(essence) { return true }
    return ImageCodecs.decodableFormats.contains { $0.mediaType == essence }
  }

  /// The number of `(min-width: 800px)`, else 0.
  private static func minimumWidth(_ media: String) -> Int {
    guard let colon = media.firstMatch(of: /min-width\s*:\s*([0-9]{1,6})/) else { return 0 }
    return Int(colon.1) ?? 0
  }

  /// Whether the image has at most one pixel a side: it shows nothing and counts readers.
  private static func isPixel(_ image: MarkupElement) -> Bool {
    func isTiny(_ name: String) -> Bool {
      image.attributes[name].map { ["0", "1", "0px", "1px"].contains($0) } ?? false
    }
    return isTiny("width") && isTiny("height")
  }
}
