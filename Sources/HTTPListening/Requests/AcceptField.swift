/// The value of `Accept` (RFC 9110 §12.5.1).
public enum AcceptField {
  /// The weight of each media range in lower case; that of the last where one is given twice.
  ///
  /// - Parameter lines: The lines of the field.
  public static func weights(of lines: [String]) -> [String: Double] {
    var weights: [String: Double] = [:]
    for range in lines.joined(separator: ",").split(separator: ",") {
      let parts = range.split(separator: ";").map {
        $0.filter { $0 != " " && $0 != "\t" }.lowercased()
      }
      guard let type = parts.first, !type.isEmpty else { continue }
      let weight = parts.dropFirst().last { $0.hasPrefix("q=") }
      weights[type] = weight.flatMap { Double($0.dropFirst(2)) } ?? 1
    }
    return weights
  }
}
