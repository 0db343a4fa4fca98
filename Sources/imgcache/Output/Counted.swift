extension Int {
  /// The number with its noun: `1 image`, `2 images`.
  ///
  /// - Parameter plural: Where it is not the noun and an s: `entries`.
  func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}

extension [String] {
  /// The words as a list in a sentence: `a, b and c`.
  var enumerated: String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}
