public import HTTPTypes

/// The value of `Accept` (RFC 9110 §12.5.1), and of `Accept-Language`, which has the same form.
enum AcceptField {
  /// The ranges in lower case, each with its weight.
  static func ranges(of lines: [String]) -> [(name: String, weight: Double)] {
    lines.joined(separator: ",").split(separator: ",").compactMap { range in
      let parts = range.split(separator: ";").map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let name = parts.first, !name.isEmpty else { return nil }
      let weight = parts.dropFirst().last { $0.hasPrefix("q=") }
      return (name, weight.flatMap { Double($0.dropFirst(2)) } ?? 1)
    }
  }
}

extension HTTPFields {
  /// The weight of each media range in the lines of `Accept` (RFC 9110 §12.5.1), in lower case; that
  /// of the last where one is given twice.
  public static func weights(ofAccept lines: [String]) -> [String: Double] {
    Dictionary(AcceptField.ranges(of: lines)) { $1 }
  }
}
