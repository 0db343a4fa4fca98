import DiskCaching
import HTTPListening

/// The query of `GET /days?q=TEXT&limit=N`.
struct DaySearch: Sendable {
  static let maximumLength = 200
  static let limits = 1...100
  static let usualLimit = 20

  /// The words that a story has to contain.
  let text: String
  let limit: Int

  /// - Throws: ``Problem`` 400 for a blank or too long text.
  init(_ text: String, limit: Int) throws(Problem) {
    guard text.count <= Self.maximumLength else {
      throw Problem.badParameter(
        "q",
        "The value of the parameter q is longer than \(Self.maximumLength) characters.")
    }
    guard text.unicodeScalars.contains(where: { $0.value > 0x20 && !$0.properties.isWhitespace })
    else {
      throw Problem.badParameter("q", "The value of the parameter q is blank.")
    }
    self.text = text
    self.limit = limit
  }

  /// Reads the maximum number of stories, 1 through 100; the usual one for `nil`.
  static func limit(_ text: String?) throws(Problem) -> Int {
    guard let limit = text.map(Int.init) ?? usualLimit, limits.contains(limit) else {
      throw Problem.badParameter(
        "limit", "The value of the parameter limit is not 1 through 100.")
    }
    return limit
  }
}

struct DaySearchResult: Encodable {
  let complete: Bool
  let stories: [DayDescription.Story]
}
