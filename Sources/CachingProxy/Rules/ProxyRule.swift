import HTTPCaching
import HTTPTypes
public import ImageModel
import TextEncodings

/// How a proxy treats the requests for some paths, where the origin leaves it open.
public struct ProxyRule: Sendable, Hashable {
  /// The paths, whole and as they are decoded: `*` is any text without a slash, `**` any text, and `/**`
  /// at the end also none.
  public var pattern: String
  /// How long a response is fresh that names no lifetime; one with a status of success or of a
  /// permanent redirect. Default: `nil`, by the heuristic of RFC 9111 §4.2.2.
  public var lifetime: Duration?
  /// `stale-while-revalidate` of a response without it. Default: `nil`, none.
  public var staleWhileRevalidate: Duration?
  /// `stale-if-error` of a response without it. Default: `nil`, none.
  public var staleIfError: Duration?
  /// The names of query parameters that do not distinguish responses; `*` is any text. The origin
  /// gets them. Default: none.
  public var ignoredParameters: [String] = []
  /// Whether requests go to the origin whatever is stored, and responses are not stored. Default:
  /// false.
  public var isPassed = false

  /// Creates a rule without effect.
  public init(pattern: String) { self.pattern = pattern }

  /// Whether it is about a target, by its path; empty segments and dot segments do not count, as
  /// origins differ in what they make of them.
  func matches(_ target: String) -> Bool {
    let path = PercentEncoding.decoded(QueryPair.split(target).base).bytes
    var segments: [ArraySlice<UInt8>] = []
    for segment in path.split(separator: UInt8(ascii: "/")) {
      if segment.elementsEqual("..".utf8) {
        _ = segments.popLast()
      } else if !segment.elementsEqual(".".utf8) {
        // Without its parameters, which some origins ignore.
        segments.append(segment.prefix { $0 != UInt8(ascii: ";") })
      }
    }
    let isFolder = path.last == UInt8(ascii: "/") && !segments.isEmpty
    let slash = [UInt8(ascii: "/")]
    let text = slash + segments.joined(separator: slash)
    return Self.matches(text + (isFolder ? slash : []), pattern)
      || pattern.hasSuffix("/**") && Self.matches(text, String(pattern.dropLast(3)))
  }

  /// A URL without the parameters that do not count.
  func key(for url: String) -> String {
    guard !ignoredParameters.isEmpty else { return url }
    let (base, query) = QueryPair.split(url)
    guard let query else { return url }
    let pairs = query.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    let counting = pairs.filter { pair in
      let name = Array(QueryPair(Substring(pair)).name.text.utf8)
      // To some origins a semicolon begins the next one.
      return name.isEmpty || pair.contains(UInt8(ascii: ";"))
        || !ignoredParameters.contains { Self.matches(name, $0) }
    }
    if counting.count == pairs.count { return url }
    if counting.isEmpty { return base }
    return "\(base)?\(counting.map { String(Substring($0)) }.joined(separator: "&"))"
  }

  /// The directives of a response where it gives none; `nil` for none at all.
  func defaults(for status: Int) -> String? {
    let hasLifetime = [200, 203, 204, 206, 300, 301, 304, 308].contains(status)
    let directives: [(String, Duration?)] = [
      ("max-age", hasLifetime ? lifetime : nil), ("stale-while-revalidate", staleWhileRevalidate),
      ("stale-if-error", staleIfError),
    ]
    let stated = directives.compactMap { name, time in
      time.map { "\(name)=\($0.components.seconds)" }
    }
    return stated.isEmpty ? nil : stated.joined(separator: ", ")
  }

  /// Whether a text matches a pattern, in time bounded by the product of their lengths.
  private static func matches(_ text: [UInt8], _ pattern: String) -> Bool {
    let star = UInt8(ascii: "*")
    let pattern = Array(pattern.utf8)
    // Whether the text so far matches the first so many bytes of the pattern.
    var reached = [Bool](repeating: false, count: pattern.count + 1)
    reached[0] = true
    func skipStars() {
      for place in pattern.indices where reached[place] && pattern[place] == star {
        reached[place + 1] = true
      }
    }
    skipStars()
    for byte in text {
      var next = [Bool](repeating: false, count: reached.count)
      for place in pattern.indices {
        guard pattern[place] == star else {
          if reached[place], pattern[place] == byte { next[place + 1] = true }
          continue
        }
        let isDouble =
          place > 0 && pattern[place - 1] == star
          || place + 1 < pattern.count && pattern[place + 1] == star
        // A star that has begun is behind its place.
        if reached[place + 1] || reached[place], isDouble || byte != UInt8(ascii: "/") {
          next[place + 1] = true
        }
      }
      reached = next
      skipStars()
    }
    return reached[pattern.count]
  }
}
