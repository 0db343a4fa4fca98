extension WebAddress {
  /// The address that a reference in a page means; one that is absolute stays as it is spelled.
  ///
  /// Source: RFC 3986, section 5.2, without its normalisation of what is already absolute.
  ///
  /// - Parameters:
  ///   - reference: As it stands in an attribute; white space at the ends is dropped.
  ///   - base: The address of the page.
  /// - Returns: An address that can be fetched, or `nil` when there is none (`data:`, `javascript:`, empty).
  static func resolve(_ reference: String, against base: String) -> String? {
    let reference = reference.trimmingWhiteSpace()
    if isFetchable(reference) { return reference }
    // Late-loading scripts leave `image/svg+xml;utf8,<svg …>` behind, a data address without its scheme.
    guard !reference.isEmpty, !hasScheme(reference), !reference.hasPrefix("image/svg+xml"),
      isFetchable(base)
    else { return nil }

    let bare = base.prefix { $0 != "#" }
    let scheme = bare.prefix { $0 != ":" }
    let afterScheme = bare.dropFirst(scheme.count + 3)
    let authority = afterScheme.prefix { $0 != "/" && $0 != "?" }
    let basePath = afterScheme.dropFirst(authority.count).prefix { $0 != "?" }
    let root = "\(scheme)://\(authority)"

    let address: String
    if reference.hasPrefix("//") {
      address = "\(scheme):\(reference)"
    } else if reference.hasPrefix("/") {
      address = root + withoutDots(reference)
    } else if reference.hasPrefix("?") {
      address = root + (basePath.isEmpty ? "/" : basePath) + reference
    } else if reference.hasPrefix("#") {
      return nil
    } else {
      let folder = basePath.lastIndex(of: "/").map { basePath[...$0] } ?? "/"
      address = root + withoutDots(folder + reference)
    }
    return isFetchable(address) ? address : nil
  }

  /// Whether the text begins with a scheme of any kind. Source: RFC 3986, section 3.1.
  private static func hasScheme(_ text: String) -> Bool {
    guard let colon = text.firstIndex(of: ":") else { return false }
    let scheme = text[..<colon]
    guard scheme.first?.isLetter == true else { return false }
    return scheme.utf8.allSatisfy {
      (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
        || "+-.".utf8.contains($0)
    }
  }

  /// Takes `.` and `..` out of a path; a query stays as it is. Source: RFC 3986, section 5.2.4.
  private static func withoutDots(_ pathAndQuery: String) -> String {
    let path = pathAndQuery.prefix { $0 != "?" }
    let query = pathAndQuery.dropFirst(path.count)
    var kept: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (position, segment) in segments.enumerated() {
      let isLast = position == segments.count - 1
      switch segment {
      case ".":
        if isLast { kept.append("") }
      case "..":
        if kept.count > 1 { kept.removeLast() }
        if isLast { kept.append("") }
      default:
        kept.append(segment)
      }
    }
    return kept.joined(separator: "/") + query
  }
}
