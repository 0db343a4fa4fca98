enum HTMLAllowance {
  static let elements: Set<String> = [
    "a", "abbr", "article", "aside", "b", "blockquote", "caption", "cite", "code", "dd", "del",
    "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s",
    "samp",
    "section", "small", "span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th",
    "thead", "time", "tr", "u", "ul", "var",
  ]

  /// Void elements that stay.
  static let voids: Set<String> = ["br", "hr", "wbr"]

  /// Elements that are removed with their contents: those that run scripts, load, take input, draw,
  /// or have different parsing rules.
  static let removed: Set<String> = [
    "applet", "audio", "button", "canvas", "datalist", "dialog", "fencedframe", "fieldset", "form",
    "frameset", "head", "iframe", "isindex", "listing", "map", "math", "meter", "noembed",
    "noframes", "noscript", "object", "optgroup", "option", "output", "plaintext", "portal",
    "progress", "script", "select", "slot", "style", "svg", "template", "textarea", "title",
    "video", "xmp",
  ]

  /// Void elements that are removed; a parser that does not treat them as void puts the following
  /// content inside, which stays. Source: HTML Living Standard, "Void elements".
  static let removedVoids: Set<String> = [
    "area", "base", "basefont", "bgsound", "embed", "frame", "input", "keygen", "link", "meta",
    "param", "source", "track",
  ]

  /// Classes that the page's own style sheet has, as Zhihu Daily names them.
  static let classes: Set<String> = [
    "answer", "author", "avatar", "bio", "content", "content-image", "highlight", "meta",
    "question",
    "question-title",
  ]

  static func value(of name: String, on element: String, raw text: String) -> String? {
    switch (name, element) {
    case ("class", _):
      let known = text.split { $0.isWhitespace }.filter { classes.contains(String($0)) }
      return known.isEmpty ? nil : known.joined(separator: " ")
    case ("dir", _): return ["ltr", "rtl", "auto"].contains(text) ? text : nil
    case ("lang", _):
      let isTag =
        text.utf8.count <= 35
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      return isTag && !text.isEmpty ? text : nil
    case ("title", "abbr"), ("title", "a"), ("title", "span"): return String(text.prefix(500))
    case ("colspan", "td"), ("colspan", "th"), ("rowspan", "td"), ("rowspan", "th"):
      return number(text, in: 1...1000)
    case ("start", "ol"), ("value", "li"): return number(text, in: -100_000...100_000)
    default: return nil
    }
  }

  private static func number(_ text: String, in range: ClosedRange<Int>) -> String? {
    Int(text).flatMap { range.contains($0) ? String($0) : nil }
  }
}
