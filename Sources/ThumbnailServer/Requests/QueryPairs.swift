import HTTPListening

/// The query of a request target, parsed once: decoded pairs, each key at most once.
///
/// `+` is a plus: these queries contain URLs, and RFC 3986 gives it no other meaning.
struct QueryPairs: Sendable, Hashable {
  /// The path, as in the request line.
  let path: String
  /// The pairs, in the order of the query.
  let pairs: [Pair]

  /// A key and its value, percent-decoded.
  struct Pair: Sendable, Hashable {
    let key: String
    let value: String
  }

  /// Parses a request target.
  ///
  /// - Throws: ``Problem`` 400 for a repeated key, a malformed `%`, invalid UTF-8, or control
  ///   characters.
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
        throw Problem(.badRequest, "repeated_parameter", "Duplicate query parameter.")
      }
      pairs.append(Pair(key: key, value: value))
    }
    self.pairs = pairs
  }

  /// The value of a key; `nil` if it is absent.
  subscript(key: String) -> String? { pairs.first { $0.key == key }?.value }

  /// Percent-decodes; `nil` for malformed text or control characters.
  static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  /// Percent-encodes all but the unreserved characters of RFC 3986, with upper-case digits.
  static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        bytes.append(byte)
      default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A path with a query of encoded pairs, in the order given.
  static func target(_ path: String, _ pairs: [Pair]) -> String {
    path + "?" + pairs.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
  }
}
