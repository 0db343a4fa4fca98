import ImageCodecs
import ImageModel
import TextEncodings

/// Chooses the URL of each `img` on the way through HTML, with the `source` elements of the
/// `picture` around it: ``open(_:base:)`` for each element, ``close()`` for each end.
struct ImageElements {
  /// The `picture` elements that are open, innermost last; `nil` for every other open element.
  private var open: [Int?] = []
  private var pictures: [[Candidate]] = []
  private var isShown = false
  private static let figure = -1
  /// How many elements are open whose content is text, the outermost of them included.
  private var textDepth = 0
  /// Elements whose content is text in HTML; the parser reads the markup in it.
  private static let texts: Set<String> = [
    "textarea", "title", "xmp", "iframe", "noembed", "noframes",
  ]

  private typealias Candidate = SourceSet.Candidate

  /// Returns the URL of the image that an element shows, which begins.
  mutating func open(_ element: MarkupElement, base: String) -> String? {
    var mark: Int?
    defer { open.append(mark) }
    if textDepth > 0 || Self.texts.contains(element.name) {
      textDepth += 1
      return nil
    }
    switch element.name {
    case "picture":
      mark = pictures.count
      pictures.append([])
    case "source" where !pictures.isEmpty:
      pictures[pictures.count - 1] += Self.candidates(source: element, base: base)
    case "figure":
      let candidates = Self.candidates(of: element, sets: Self.sets(of: element), base: base)
      let url = Self.best(of: candidates) ?? Self.first(of: Self.lateAddresses, element, base)
      isShown = url != nil
      if isShown { mark = Self.figure }
      return url
    case "img", "amp-img":
      guard !isShown else {
        isShown = false
        return nil
      }
      // A `picture` has one `img`; further ones must not go through its sources again and again.
      var sources: [Candidate] = []
      if !pictures.isEmpty { swap(&sources, &pictures[pictures.count - 1]) }
      return Self.url(of: element, sources: sources, base: base)
    default: break
    }
    return nil
  }

  mutating func close() {
    textDepth = max(0, textDepth - 1)
    guard let closed = open.popLast() ?? nil else { return }
    if closed == Self.figure { isShown = false } else { pictures.removeLast() }
  }

  /// The attributes of the true URL on Zhihu's pages, which load their images late; they precede
  /// all others.
  private static let originals = ["data-original", "data-actualsrc"]
  /// Late-loading scripts of other sites leave a placeholder in `src`.
  private static let lateAddresses = [
    "data-src", "data-lazy-src", "data-lazy", "data-original-src", "data-full-src",
    "data-hi-res-src",
  ]
  /// The image in several sizes, beside a smaller one in `src`.
  private static let files = ["data-orig-file", "data-large-file"]
  /// Attributes that name no image, or are read before.
  private static let others: Set<String> = [
    "alt", "title", "src", "href", "class", "id", "style", "longdesc", "usemap", "srcset",
  ]

  /// The URL that an image element means: the true address of a page that loads late, else the
  /// largest candidate, else its address, unless that is a placeholder and another attribute is an
  /// address.
  private static func url(
    of image: MarkupElement, sources: [Candidate], base: String
  ) -> String? {
    // One that is a pixel may be there for a script to replace.
    let isPixel = isPixel(image)
    if let original = first(of: originals, image, base) { return original }
    let late = first(of: lateAddresses, image, base)
    let address = isPixel ? nil : first(of: ["src"], image, base)
    let kind = address.map(Placeholder.init)
    // Of equals the first wins: a `source` that is not known to be larger loses to the `img`.
    let candidates =
      candidates(of: image, sets: sets(of: image), base: base)
      + (late.map { [Candidate(url: $0)] } ?? [])
      + self.candidates(of: image, sets: isPixel ? [] : ["srcset"], base: base)
      + (kind == .no ? address.map { [Candidate(url: $0)] } ?? [] : []) + (isPixel ? [] : sources)
    return best(of: candidates) ?? other(image, base) ?? (kind == .maybe ? address : nil)
  }

  private static func best(of candidates: [Candidate]) -> String? {
    candidates.max { $0.size < $1.size }?.url
  }

  private static func first(
    of names: [String], _ element: MarkupElement, _ base: String
  ) -> String? {
    for name in names {
      // Not `true`, and what else switches late loading on.
      guard let text = element.attributes[name],
        name == "src" || text.contains(where: "./".contains)
      else { continue }
      if let url = resolve(text, base) { return url }
    }
    return nil
  }

  private static func sets(of element: MarkupElement) -> [String] {
    let names = element.attributes.keys.filter {
      $0.hasSuffix("srcset") || $0 == "data-original-set"
    }
    return names.filter { $0 != "srcset" }.sorted()
  }

  /// The address of an image in any other attribute: its name or its path tells.
  private static func other(_ element: MarkupElement, _ base: String) -> String? {
    if let url = first(of: lateAddresses + files, element, base) { return url }
    for (name, value) in element.attributes.sorted(by: { $0.key < $1.key })
    where !others.contains(name) && value.contains("/") && !value.contains(where: \.isWhitespace) {
      let isAddress = name.hasSuffix("src") || name.contains("lazy") || isImagePath(value)
      if isAddress, let url = resolve(value, base), Placeholder(url) == .no { return url }
    }
    return nil
  }

  private enum Placeholder {
    case no, maybe, yes

    init(_ url: String) {
      guard ImageElements.isImagePath(url) else {
        self = .no
        return
      }
      let stem = ImageElements.fileName(of: url).prefix { $0 != "." }.lowercased()
      if [
        "blank", "spacer", "pixel", "1x1", "1px", "transparent", "spaceball", "placeholder",
      ].contains(stem) {
        self = .yes
      } else {
        let words = [
          "load", "lazy", "blank", "placeholder", "transparent", "empty", "grey", "gray",
        ]
        self = words.contains(where: stem.hasPrefix) ? .maybe : .no
      }
    }
  }

  private static let suffixes: Set<String> = [
    "jpg", "jpeg", "jpe", "jfif", "png", "apng", "gif", "webp", "avif",
  ]

  static func isImageSuffix(_ word: String) -> Bool { suffixes.contains(word) }

  /// Whether the path of a URL ends like that of an image: `a.jpg`, `a.jpg!large` or `a.jpg:small`.
  static func isImagePath(_ url: String) -> Bool {
    let name = fileName(of: url)
    guard let dot = name.lastIndex(of: ".") else { return false }
    let suffix = name[name.index(after: dot)...].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return suffixes.contains(suffix.lowercased())
  }

  private static func fileName(of url: String) -> Substring {
    let end = url.utf8.firstIndex { [UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    let path = url[..<(end ?? url.endIndex)]
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    return path[(slash.map(path.utf8.index(after:)) ?? path.startIndex)...]
  }

  /// Returns the URL of an image that can be fetched and is not a tracker; `nil` for any other.
  static func resolve(_ text: String, _ base: String) -> String? {
    // Lazy-loading scripts leave `image/svg+xml;utf8,<svg …>` behind, a data URL without its
    // scheme.
    guard !text.trimmingWhiteSpace().hasPrefix("image/svg+xml") else { return nil }
    return WebURL.resolve(text, against: base).flatMap { Trackers.contains($0) ? nil : $0 }
  }

  private static func candidates(
    of element: MarkupElement, sets: [String], base: String
  ) -> [Candidate] {
    sets.flatMap { name in
      SourceSet(element.attributes[name] ?? "").candidates.compactMap { candidate in
        guard let url = resolve(candidate.url, base), Placeholder(url) == .no else { return nil }
        return Candidate(url: url, width: candidate.width, density: candidate.density)
      }
    }
  }

  /// The candidates of a `source`, unless its format cannot be decoded or it is meant for paper.
  private static func candidates(source: MarkupElement, base: String) -> [Candidate] {
    if let type = source.attributes["type"], !type.isEmpty, !isDecodable(type) { return [] }
    let media = (source.attributes["media"] ?? "").lowercased()
    guard !media.hasPrefix("print") else { return [] }
    var candidates = candidates(of: source, sets: sets(of: source) + ["srcset"], base: base)
    if candidates.isEmpty, let url = other(source, base) { candidates = [Candidate(url: url)] }
    return candidates.map { candidate in
      var candidate = candidate
      candidate.minimumWidth = minimumWidth(media)
      return candidate
    }
  }

  private static func isDecodable(_ type: String) -> Bool {
    let essence = String(type.lowercased().prefix { $0 != ";" }).trimmingWhiteSpace()
    if ["image/jpg", "image/pjpeg", "image/apng"].contains(essence) { return true }
    // Most browsers show no HEIC, and what is archived is read in one.
    return ImageCodecs.decodableFormats.contains { $0 != .heic && $0.mediaType == essence }
  }

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
