import ImageModel

@testable import ImageFeeds

/// Sanitized HTML contains only allowed elements and links, and sanitizing it again changes
/// neither its text nor what it shows.
enum HTMLTarget {
  private static let base = "https://example.org/news/1"
  private static var sanitizer: HTMLSanitizer {
    HTMLSanitizer(base: base) { url in
      PageImage(source: url, doubleSource: url.count % 2 == 0 ? url : nil, width: url.count)
    }
  }
  private static let elements =
    HTMLAllowance.elements.union(HTMLAllowance.voids).union(["html", "body", "img"])
  private static let attributes: Set<String> = [
    "class", "dir", "lang", "title", "colspan", "rowspan", "start", "value", "href", "rel",
    "target", "src", "srcset", "alt", "width", "height", "loading", "decoding",
  ]

  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    let html = String(decoding: bytes, as: UTF8.self)
    guard let once = try? sanitizer.sanitized(html) else { return }
    // Only images and links become longer, by their base URL.
    try require(once.utf8.count <= 400 * (html.utf8.count + 1), "\(once.utf8.count) bytes")
    let first = try Shown(once)
    guard let twice = try? sanitizer.sanitized(once) else {
      throw FuzzFailure(description: "cannot be sanitized again: \(once)")
    }
    let second = try Shown(twice)
    try require(first == second, "\(html.debugDescription)\nonce: \(once)\ntwice: \(twice)")
  }

  /// The visible content of a page without its structure: HTML cannot express every tree, so
  /// parsing a written tree may move elements (a paragraph in a paragraph).
  private struct Shown: Equatable {
    var text = ""
    var addresses: [String] = []

    /// - Throws: ``FuzzFailure`` for an element, attribute or address that is not allowed.
    init(_ html: String) throws(FuzzFailure) {
      var steps: [Markup.Step] = []
      try? Markup.readHTML(html) { steps.append($0) }
      for step in steps {
        switch step {
        case .closes: continue
        case .text(let text): self.text += text
        case .opens(let element):
          try require(elements.contains(element.name), "<\(element.name)> in \(html)")
          for (name, value) in element.attributes {
            try require(attributes.contains(name), "attribute \(name) in \(html)")
            guard name == "href" || name == "src" else { continue }
            try require(WebURL(value) != nil, "\(name) \(value.debugDescription) in \(html)")
            addresses.append(value)
          }
        }
      }
      // White space between blocks is not visible, and moves with them.
      text.removeAll { $0.isWhitespace }
    }
  }
}
