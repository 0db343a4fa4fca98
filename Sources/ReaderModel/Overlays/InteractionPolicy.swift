/// Which requests leave the page usable while they run: all but those that change something.
///
/// A request is known by its path behind the last `/api/`; scheme, host, query and fragment do not matter.
public struct InteractionPolicy: Sendable, Hashable {
  /// The words that mark a request as one that changes something.
  public static let keywords = [
    "Create", "Add", "Update", "Delete", "Bind", "Submit", "Save", "Login", "Change", "Set", "Edit",
    "Modify", "Cancel", "Send", "Check", "Audit",
  ]

  /// The paths that forbid interaction, as they stand behind `/api/`.
  public var forbidden: Set<String>
  /// Whether a path that holds one of the ``keywords`` forbids it as well. Default: no.
  public var goesByKeywords: Bool

  /// Creates a policy.
  public init(forbidden: Set<String> = [], goesByKeywords: Bool = false) {
    self.forbidden = forbidden
    self.goesByKeywords = goesByKeywords
  }

  /// Whether the page can be used while the request runs; what is not listed allows it.
  public func isAllowed(_ url: String) -> Bool {
    guard let path = Self.path(of: url) else { return true }
    if forbidden.contains(path) { return false }
    guard goesByKeywords else { return true }
    return Self.words(in: path).allSatisfy { !Self.keywords.contains($0) }
  }

  /// What stands behind the last `/api/`, without query and fragment; `nil` where there is none.
  static func path(of url: String) -> String? {
    let bytes = Array(url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })
    let mark = Array("/api/".utf8)
    guard bytes.count >= mark.count else { return nil }
    for start in stride(from: bytes.count - mark.count, through: 0, by: -1)
    where bytes[start..<start + mark.count].elementsEqual(mark) {
      return String(decoding: bytes[(start + mark.count)...], as: UTF8.self)
    }
    return nil
  }

  /// The words of `Cache/DeleteAll`: Cache, Delete, All. A word begins with a capital letter or after
  /// anything that is no letter.
  static func words(in path: String) -> [String] {
    var words: [String] = []
    var open = false
    for scalar in path.unicodeScalars {
      let isCapital = ("A"..."Z").contains(scalar)
      guard isCapital || ("a"..."z").contains(scalar) else {
        open = false
        continue
      }
      if isCapital || !open { words.append("") }
      words[words.count - 1].unicodeScalars.append(scalar)
      open = true
    }
    return words
  }
}
