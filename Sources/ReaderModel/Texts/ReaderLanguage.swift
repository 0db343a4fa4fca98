/// The languages of the reader.
public enum ReaderLanguage: String, Sendable, CaseIterable, Codable {
  /// Simplified Chinese.
  case chinese = "zh"
  /// English.
  case english = "en"

  /// The first language of a list of preferences that the reader speaks; Chinese where it speaks none.
  ///
  /// - Parameter header: As in `Accept-Language`, for example `en-GB,en;q=0.9`. Source: RFC 9110, 12.5.4.
  public init(accepting header: String?) {
    var best: (language: ReaderLanguage, quality: Double)?
    for item in (header ?? "").split(separator: ",").prefix(32) {
      let parts = item.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let tag = parts.first?.lowercased(),
        let language = Self.allCases.first(where: {
          tag == $0.rawValue || tag.hasPrefix($0.rawValue + "-")
        })
      else { continue }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap {
        Double($0.dropFirst(2))
      }
      if (quality ?? 1) > (best?.quality ?? 0) { best = (language, quality ?? 1) }
    }
    self = best?.language ?? .chinese
  }
}
