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

  /// Chooses the preferred language by `Accept-Language` (RFC 9110 §12.5.4), for example
  /// `en-GB,en;q=0.9`; Chinese without any.
  public init(accepting header: String?) {
    let ranges = AcceptField.ranges(of: [header ?? ""])
    // The greatest weight first, of equal ones the first in the header.
    func rank(_ language: Self) -> (weight: Double, place: Int) {
      let tag = language.rawValue
      let named = ranges.indices.filter {
        ranges[$0].name == tag || ranges[$0].name.hasPrefix(tag + "-")
      }
      // `*` is any language that no other range names.
      let places = named.isEmpty ? ranges.indices.filter { ranges[$0].name == "*" } : named
      return places.map { place in
        let weight = ranges[place].weight
        return ((0...1).contains(weight) ? weight : 1, -place)
      }.max(by: <) ?? (0, 0)
    }
    let best = Self.allCases.max { rank($0) < rank($1) } ?? .chinese
    self = rank(best).weight > 0 ? best : .chinese
  }

  /// The language of the response to a request, and whether the request chose it.
  public static func language(of request: RoutedRequest) -> (PageLanguage, isChosen: Bool) {
    if let chosen = PageLanguage(chosenBy: request.query.map(String.init)) {
      return (chosen, true)
    }
    return (PageLanguage(accepting: request.fields[.acceptLanguage]), false)
  }
}
