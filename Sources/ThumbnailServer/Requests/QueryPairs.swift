import HTTPListening
import HTTPTypes
import TextEncodings

/// The query of a request target, parsed once: decoded pairs, each key at most once.
///
/// `+` is a plus: these queries contain URLs, and RFC 3986 gives it no other meaning.
struct QueryPairs: Sendable, Hashable {
  let path: String
  let pairs: [Pair]

  struct Pair: Sendable, Hashable {
    let key: String
    let value: String
  }

  /// - Throws: ``Problem`` 400 for a repeated key, a malformed `%`, invalid UTF-8, or control
  /// characters.
  init(target: String) throws(Problem) {
    let halves = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(halves[0])
    var pairs: [Pair] = []
    var seen: Set<String> = []
    for part in halves.count > 1 ? halves[1].split(separator: "&") : [] {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let key = Self.decoded(sides[0]),
        let value = Self.decoded(sides.count > 1 ? sides[1] : "")
      else { throw Problem(.badRequest, "bad_query", "Malformed query.") }
      guard seen.insert(key).inserted else {
        throw Problem(.badRequest, "repeated_parameter", "Duplicate query parameter.").about(key)
      }
      pairs.append(Pair(key: key, value: value))
    }
    self.pairs = pairs
  }

  subscript(key: String) -> String? { pairs.first { $0.key == key }?.value }

  /// Percent-decodes; `nil` for malformed text or control characters.
  static func decoded(_ text: Substring) -> String? {
    let (bytes, isWellFormed) = PercentEncoding.decoded(text)
    guard isWellFormed, bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Percent-encodes all but the unreserved characters of RFC 3986, with upper-case digits.
  static func encoded(_ text: String) -> String { PercentEncoding.encoded(text) }

  /// A path with a query of encoded pairs, in the order given.
  static func target(_ path: String, _ pairs: [Pair]) -> String {
    path + "?" + pairs.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
  }
}
