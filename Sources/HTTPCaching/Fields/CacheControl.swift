public import HTTPTypes
import ImageModel
import RawStructuredFieldValues

/// The directives of `Cache-Control`, of an answer or of a request.
///
/// Sources: RFC 9111 §5.2; RFC 8246 (`immutable`); RFC 5861 (`stale-while-revalidate`,
/// `stale-if-error`). A number that cannot be read counts as 0 where 0 is the careful reading. Of a
/// directive given twice the first counts (RFC 9111 §4.2.1), of two scopes the stricter. Unknown
/// directives are ignored. Of a line that is not a list of directives, only what restricts counts,
/// wherever in the line it is, and the answer is stale.
public struct CacheControl: Sendable, Hashable {
  /// A directive with the field names that it is limited to.
  public enum Scope: Sendable, Hashable {
    /// The directive has no field names: it concerns the whole answer.
    case all
    /// It concerns these fields only, names in lower case.
    case fields([String])
  }

  /// Seconds an answer is fresh, or the most age that a request accepts.
  public var maximumAge: Int?
  /// The same for shared caches; overrides ``maximumAge`` there.
  public var sharedMaximumAge: Int?
  /// Must not be stored.
  public var noStore = false
  /// Whether, or for which fields, use requires a request to the origin.
  public var noCache: Scope?
  /// Whether use of a stale response requires a request to the origin.
  public var mustRevalidate = false
  /// The same for shared caches.
  public var proxyRevalidate = false
  /// Whether a cache that understands the status may store the response despite `no-store`.
  public var mustUnderstand = false
  /// Whether, or for which fields, the response is for one user only.
  public var isPrivate: Scope?
  /// Whether any cache may store the response.
  public var isPublic = false
  /// Whether intermediaries must not transform the content.
  public var noTransform = false
  /// Whether the response does not change while it is fresh: a reload needs no request to the
  /// origin.
  public var isImmutable = false
  /// Seconds after its end during which a stale answer may be used while a new one is fetched.
  public var staleWhileRevalidate: Int?
  /// Seconds after its end during which a stale answer may be used when the origin fails.
  public var staleIfError: Int?
  /// Of a request: how stale an answer may be; the largest number when any is fine.
  public var maximumStaleness: Int?
  /// Of a request: how long an answer must stay fresh.
  public var minimumFreshness: Int?
  /// Of a request: forbids a request to the origin.
  public var onlyIfCached = false
  /// Whether there was any directive.
  public var isEmpty = true

  /// No directives.
  public init() {}

  /// Whether the response to a request with credentials may answer all others.
  package var isForAll: Bool { isPublic && isPrivate == nil && !noStore }

  /// Reads the lines of a field.
  public init(_ lines: some Sequence<String>) {
    var seen: Set<String> = []
    var isMalformed = false
    for line in lines {
      let directives = HTTPDirectives(line)
      if let words = directives.malformedWords {
        isEmpty = false
        isMalformed = true
        for name in Self.restrictions.intersection(words) { apply(name, nil) }
        continue
      }
      for directive in directives.members {
        isEmpty = false
        // The stricter of two scopes counts; of two numbers the first.
        guard seen.insert(directive.name).inserted || Self.isScoped(directive.name) else {
          continue
        }
        // The names of a scope are quoted: what is not may be anything.
        let isDropped = Self.isScoped(directive.name) && !directive.isQuoted
        apply(directive.name, isDropped ? nil : directive.value)
      }
    }
    if isMalformed {
      maximumAge = 0
      if sharedMaximumAge != nil { sharedMaximumAge = 0 }
    }
  }

  /// Reads `Cache-Control` of some fields. A request without it but with `Pragma: no-cache` means
  /// `no-cache`.
  public init(_ fields: HTTPFields) {
    if fields.isEmpty {
      self.init()
      return
    }
    self.init(fields[values: .cacheControl])
    if isEmpty, let name = Self.pragma, let pragma = fields[values: name].first,
      HTTPDirectives(pragma).members.contains(where: { $0.name == "no-cache" })
    {
      noCache = .all
    }
  }

  /// Reads a targeted field (RFC 9213 §2.1), a dictionary of structured fields.
  ///
  /// `nil` for none, a malformed, empty or long one (``maximumTargetedByteCount``), and where a
  /// known directive has a value of another type: then `Cache-Control` counts.
  init?(targeted lines: [String]) {
    let bytes = Array(lines.joined(separator: ",").utf8)
    guard bytes.count <= Self.maximumTargetedByteCount else { return nil }
    var parser = StructuredFieldValueParser(bytes)
    guard let members = try? parser.parseDictionaryFieldValue(), !members.isEmpty else {
      return nil
    }
    isEmpty = false
    for (name, member) in members {
      let item: RFC9651BareItem? =
        if case .item(let item) = member { item.rfc9651BareItem } else { nil }
      switch item {
      case .integer(let number): apply(name, String(number))
      case .bool(true): apply(name, nil)
      case .string(let text) where Self.isScoped(name): apply(name, text)
      case .token(let text) where Self.isScoped(name): apply(name, text)
      case _ where Self.isKnown(name): return nil
      default: break
      }
    }
  }

  private static let pragma = HTTPField.Name("Pragma")

  /// The parser's time grows with the square of the members, so longer fields are not parsed.
  private static let maximumTargetedByteCount = 8192

  /// The directives that only ever restrict.
  private static let restrictions: Set<String> = [
    "must-revalidate", "no-cache", "no-store", "no-transform", "private", "proxy-revalidate",
  ]

  private static func isScoped(_ name: String) -> Bool { name == "no-cache" || name == "private" }

  private static func isKnown(_ name: String) -> Bool {
    var probe = CacheControl()
    probe.apply(name, "1")
    return probe != CacheControl()
  }

  private mutating func apply(_ name: String, _ value: String?) {
    switch name {
    case "max-age": maximumAge = HTTPDirectives.seconds(value) ?? 0
    case "s-maxage": sharedMaximumAge = HTTPDirectives.seconds(value) ?? 0
    case "no-store": noStore = true
    case "no-cache": noCache = Self.stricter(noCache, Self.scope(value))
    case "must-revalidate": mustRevalidate = true
    case "proxy-revalidate": proxyRevalidate = true
    case "must-understand": mustUnderstand = true
    case "private": isPrivate = Self.stricter(isPrivate, Self.scope(value))
    case "public": isPublic = true
    case "no-transform": noTransform = true
    case "immutable": isImmutable = true
    case "stale-while-revalidate": staleWhileRevalidate = HTTPDirectives.seconds(value)
    case "stale-if-error": staleIfError = HTTPDirectives.seconds(value)
    case "max-stale": maximumStaleness = value == nil ? .max : HTTPDirectives.seconds(value) ?? 0
    case "min-fresh": minimumFreshness = HTTPDirectives.seconds(value) ?? .max
    case "only-if-cached": onlyIfCached = true
    default: break
    }
  }

  private static func stricter(_ one: Scope?, _ other: Scope) -> Scope {
    guard case .fields(let names) = one, case .fields(let more) = other else {
      return one == nil ? other : .all
    }
    return .fields(names + more)
  }

  private static func scope(_ value: String?) -> Scope {
    guard let value else { return .all }
    let names = value.split(separator: ",").map { $0.trimmingBlanks.lowercased() }
      .filter { !$0.isEmpty }
    let isList = !names.isEmpty && names.allSatisfy { HTTPField.Name($0) != nil }
    return isList ? .fields(names) : .all
  }
}
