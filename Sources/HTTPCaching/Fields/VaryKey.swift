public import HTTPTypes
import ImageModel

/// The key that selects one of several responses for one URL: the request fields that `Vary` names
/// (RFC 9111 §4.1).
///
/// Two requests with equal keys may receive the same response. Values are compared without white
/// space around them and around their commas; the order of a list's members counts, which is the
/// conservative reading, except where the field's definition makes it insignificant
/// (`Accept-Language`, `Accept-Encoding`). Values differ if any byte differs.
public struct VaryKey: Sendable, Hashable, CustomStringConvertible {
  /// A line a field, names in lower case; a field that the request lacks has no colon.
  public let description: String

  /// Reads the fields of a request that an answer's `Vary` names.
  ///
  /// - Returns: `nil` for `Vary: *` and for what is not a list of field names: no request matches
  ///   those.
  public init?(answer: HTTPFields, request: HTTPFields) {
    guard let names = Self.names(in: answer) else { return nil }
    let selectors = names.sorted().map { name in
      let lines = HTTPField.Name(name).map { request[fields: $0].map(Self.text) } ?? []
      return lines.isEmpty ? name : "\(name): \(Self.normalized(lines, of: name))"
    }
    description = selectors.joined(separator: "\n")
  }

  /// The names of request fields in the `Vary` of an answer, in lower case.
  ///
  /// - Returns: `nil` for `Vary: *` and for what is not a list of field names.
  public static func names(in answer: HTTPFields) -> Set<String>? {
    var names: Set<String> = []
    for line in answer[values: .vary] {
      for name in line.split(separator: ",") {
        let name = name.trimmingBlanks.lowercased()
        if name.isEmpty { continue }
        // The asterisk is a token, too.
        if name == "*" || HTTPField.Name(name) == nil { return nil }
        names.insert(name)
      }
    }
    return names
  }

  /// A value in ASCII: as text, bytes that are not UTF-8 would be equal, and so would letters that
  /// Unicode has twice. No value contains the control character that introduces a byte.
  private static func text(of field: HTTPField) -> String {
    let bytes = field.valueBytes
    guard bytes.contains(where: { $0 > 0x7E }) else { return field.value }
    return bytes.map { byte in
      byte > 0x7E ? "\u{1}\(String(byte, radix: 16))" : String(UnicodeScalar(byte))
    }.joined()
  }

  /// Their members have weights and may be in any order and case (RFC 9110 §12.5.3, §12.5.4).
  private static let unordered: Set<String> = ["accept-encoding", "accept-language"]

  private static func normalized(_ lines: [String], of name: String) -> String {
    // A comma inside quotes separates nothing.
    var isQuoted = false
    let value = lines.joined(separator: ",").utf8
    let members = value.split(omittingEmptySubsequences: false) { byte in
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      return byte == UInt8(ascii: ",") && !isQuoted
    }.map { String(Substring($0)).trimmingBlanks }
    let weighted = unordered.contains(name) ? members.filter { !$0.isEmpty }.map(weighted) : []
    // What is not a list of tokens with weights may mean anything: it is compared as it is.
    guard !weighted.isEmpty, !weighted.contains(nil) else { return members.joined(separator: ",") }
    return weighted.compactMap(\.self).sorted().joined(separator: ",")
  }

  /// A token and its weight (RFC 9110 §12.4.2) in one spelling, without a weight of 1; `nil` for
  /// anything else.
  private static func weighted(_ member: String) -> String? {
    let parts = member.lowercased().split(separator: ";", omittingEmptySubsequences: false)
    guard let token = parts.first?.trimmingBlanks, HTTPField.Name(token) != nil else { return nil }
    if parts.count == 1 { return token }
    let parameter = parts[1].trimmingBlanks
    let digits = parameter.dropFirst(2)
    guard parts.count == 2, parameter.hasPrefix("q="), digits.utf8.count <= 5,
      digits.dropFirst().first ?? "." == ".",
      digits.utf8.allSatisfy({ $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }),
      let weight = Double(digits), weight <= 1
    else { return nil }
    let thousandths = String(1000 + Int((weight * 1000).rounded())).dropFirst()
    return weight == 1 ? token : "\(token);q=0.\(thousandths)"
  }
}
