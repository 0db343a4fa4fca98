import HTTPTypes

/// A text of pages in each language: its raw value is the Chinese one, ` / `, and the English one.
public protocol PageText: RawRepresentable<String>, Sendable {}

extension PageText {
  /// The text in a language.
  public func text(in language: PageLanguage) -> String {
    let texts = rawValue.split(separator: " / ")
    return String(texts[language == .chinese ? 0 : 1])
  }
}

/// A language of pages.
public enum PageLanguage: String, Sendable, CaseIterable {
  /// Simplified Chinese.
  case chinese = "zh"
  /// English.
  case english = "en"

  /// The other one.
  public var other: PageLanguage { self == .chinese ? .english : .chinese }
  /// Its tag, for `lang` of a page.
  public var tag: String { self == .chinese ? "zh-CN" : "en" }

  /// The language that a query chooses by `lang=zh` or `lang=en`; `nil` for none. Links to other
  /// pages then have to carry it.
  public init?(chosenBy query: String?) {
    let chosen = (query ?? "").split(separator: "&").first { $0.hasPrefix("lang=") }
    self.init(rawValue: String((chosen ?? "").dropFirst(5)))
  }

  /// Chooses the preferred language among these; Chinese without any.
  ///
  /// - Parameter header: As in `Accept-Language`, for example `en-GB,en;q=0.9`. Source: RFC 9110,
  ///   12.5.4.
  public init(accepting header: String?) {
    var ranges: [(tag: String, weight: Double)] = []
    for item in (header ?? "").lowercased().split(separator: ",") {
      let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap {
        Double($0.dropFirst(2))
      }
      let isNumber = weight.map { (0...1).contains($0) } ?? false
      if let tag = parts.first { ranges.append((tag, isNumber ? weight ?? 1 : 1)) }
    }
    // The greatest weight first, of equal ones the first in the header.
    let ordered = ranges.enumerated()
      .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }.map(\.element)
    func isNamed(_ language: Self, by tag: String) -> Bool {
      tag == language.rawValue || tag.hasPrefix(language.rawValue + "-")
    }
    for range in ordered where range.weight > 0 {
      // `*` is any language that no other range names.
      let found = Self.allCases.first { language in
        isNamed(language, by: range.tag)
          || range.tag == "*" && !ranges.contains { isNamed(language, by: $0.tag) }
      }
      if let found {
        self = found
        return
      }
    }
    self = .chinese
  }

  /// The language of the response to a request, and whether the request chose it.
  public static func language(of request: Request) -> (PageLanguage, isChosen: Bool) {
    if let chosen = PageLanguage(chosenBy: request.query.map(String.init)) {
      return (chosen, true)
    }
    return (PageLanguage(accepting: request.fields[.acceptLanguage]), false)
  }
}
