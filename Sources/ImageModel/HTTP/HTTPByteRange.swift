/// A byte range of a request. Source: RFC 9110 §14.1.2.
package enum HTTPByteRange: Sendable, Hashable {
  case from(Int, through: Int?)
  case last(Int)

  /// The same for a single range.
  package init?(_ text: String) {
    guard let list = Self.list(text), list.count == 1 else { return nil }
    self = list[0]
  }

  /// Reads the ranges of `Range`; `nil` for other units and malformed text, which may be ignored.
  package static func list(_ text: String) -> [HTTPByteRange]? {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, parts[0].trimmingBlanks.lowercased() == "bytes" else { return nil }
    var ranges: [HTTPByteRange] = []
    // A list may have empty members (RFC 9110 §5.6.1.2).
    for member in parts[1].split(separator: ",").map(\.trimmingBlanks) where !member.isEmpty {
      guard let range = HTTPByteRange(spec: member) else { return nil }
      ranges.append(range)
    }
    return ranges.isEmpty ? nil : ranges
  }

  private init?(spec: some StringProtocol) {
    let ends = String(spec).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    // A number too large for an `Int` is behind the end of every body.
    switch (HTTPText.clampedNumber(ends[0]), HTTPText.clampedNumber(ends[1])) {
    case (let first?, nil) where ends[1].isEmpty: self = .from(first, through: nil)
    case (let first?, let last?) where first <= last: self = .from(first, through: last)
    case (nil, let count?) where ends[0].isEmpty: self = .last(count)
    default: return nil
    }
  }

  /// Returns the range's bytes of a body of so many; `nil` where it has none of them.
  package func resolved(of count: Int) -> Range<Int>? {
    switch self {
    case .from(let first, let last):
      first < count ? first..<min(count, last.map { $0 < count ? $0 + 1 : count } ?? count) : nil
    case .last(let length):
      length > 0 && count > 0 ? max(0, count - length)..<count : nil
    }
  }
}

/// The bytes of a whole that a 206 response has: `Content-Range`. Source: RFC 9110 §14.4.
package struct HTTPContentRange: Sendable, Hashable, CustomStringConvertible {
  package let bytes: Range<Int>
  package let total: Int?

  package init(bytes: Range<Int>, total: Int?) {
    self.bytes = bytes
    self.total = total
  }

  /// Reads `bytes 0-99/1000` or `bytes 0-99/*`; `nil` for anything else.
  package init?(_ text: String) {
    let words = text.split { $0 == " " || $0 == "\t" }
    guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
    let halves = words[1].split(separator: "/", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let ends = halves[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = HTTPText.number(ends[0]),
      let last = HTTPText.number(ends[1]), first <= last, last < Int.max
    else { return nil }
    bytes = first..<(last + 1)
    if halves[1] == "*" {
      total = nil
    } else {
      guard let count = HTTPText.number(halves[1]), last < count else { return nil }
      total = count
    }
  }

  package var description: String {
    "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/\(total.map(String.init) ?? "*")"
  }

  /// The value of the field in a 416 response to a range that a body of so many bytes lacks.
  package static func unsatisfied(total: Int) -> String { "bytes */\(total)" }
}
