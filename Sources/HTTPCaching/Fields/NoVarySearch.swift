public import HTTPTypes
public import ImageModel
import RawStructuredFieldValues
import TextEncodings

/// The query parameters that a response does not depend on, in `No-Vary-Search`: it answers other
/// URLs than its own, too.
///
/// Source: draft-ietf-httpbis-no-vary-search-10, with `key-order` alone as its examples have it. A
/// malformed field counts as none.
public struct NoVarySearch: Sendable, Hashable {
  /// The names that do not count, or the only ones that do.
  private enum Parameters: Sendable, Hashable {
    case allBut(Set<ExactString>)
    case only(Set<ExactString>)
  }
  private let parameters: Parameters
  private let hasOrder: Bool

  /// The parser's time grows with the square of the members, so longer fields count as none.
  private static let maximumByteCount = 8192
  private static let name = HTTPField.Name("No-Vary-Search")

  /// Reads the field of a response; `nil` if it answers its own URL alone.
  public init?(_ response: HTTPFields) {
    guard let name = Self.name, response.contains(name) else { return nil }
    let bytes = Array(response[values: name].joined(separator: ",").utf8)
    guard bytes.count <= Self.maximumByteCount else { return nil }
    var parser = StructuredFieldValueParser(bytes)
    guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
    switch members["key-order"] {
    case nil: hasOrder = true
    case .item(let item)?:
      guard case .bool(let isIgnored) = item.rfc9651BareItem else { return nil }
      hasOrder = !isIgnored
    case .innerList?: return nil
    }
    switch (members["params"], members["except"]) {
    case (nil, nil): parameters = .allBut([])
    case (let ignored?, nil):
      guard let names = Self.names(ignored) else { return nil }
      parameters = .allBut(names)
    case (nil, let counting?):
      guard let names = Self.names(counting) else { return nil }
      parameters = .only(names)
    default: return nil
    }
    if hasOrder, parameters == .allBut([]) { return nil }
  }

  private static func names(_ member: ItemOrInnerList) -> Set<ExactString>? {
    guard case .innerList(let list) = member else { return nil }
    var names: Set<ExactString> = []
    for item in list.bareInnerList {
      guard case .string(let text) = item.rfc9651BareItem else { return nil }
      names.insert(QueryPair.decoded(text))
    }
    return names
  }

  /// One URL for all those that a response answers with this one.
  public func canonical(_ url: String) -> String {
    let (base, query) = QueryPair.split(url)
    var pairs = (query ?? "").utf8.split(separator: UInt8(ascii: "&")).map {
      QueryPair(Substring($0))
    }
    switch parameters {
    case .allBut(let names): pairs.removeAll { names.contains($0.name) }
    case .only(let names): pairs.removeAll { !names.contains($0.name) }
    }
    if !hasOrder {
      // Those of one name stay in their order.
      pairs = pairs.enumerated().sorted { one, other in
        let (name, next) = (one.element.name.text.utf8, other.element.name.text.utf8)
        return name.elementsEqual(next)
          ? one.offset < other.offset : name.lexicographicallyPrecedes(next)
      }.map(\.element)
    }
    return pairs.isEmpty ? base : "\(base)?\(pairs.map(\.encoded).joined(separator: "&"))"
  }
}

/// A name and a value of a query, as forms write them (WHATWG URL, application/x-www-form-urlencoded).
public struct QueryPair {
  /// The name, decoded.
  public let name: ExactString
  private let value: ExactString

  /// Reads what is between two `&`; without `=` it is a name alone.
  public init(_ text: Substring) {
    let parts = text.utf8.split(
      separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    name = Self.decoded(Substring(parts[0]))
    value = parts.count == 1 ? ExactString("") : Self.decoded(Substring(parts[1]))
  }

  static func decoded(_ text: some StringProtocol) -> ExactString {
    let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    let bytes = PercentEncoding.decoded(String(decoding: spaced, as: UTF8.self)).bytes
    return ExactString(String(decoding: bytes, as: UTF8.self))
  }

  fileprivate var encoded: String {
    "\(PercentEncoding.encoded(name.text))=\(PercentEncoding.encoded(value.text))"
  }

  /// The part of a URL or a target before its query, and the query.
  public static func split(_ url: String) -> (base: String, query: String?) {
    guard let mark = url.utf8.firstIndex(of: UInt8(ascii: "?")) else { return (url, nil) }
    return (String(url[..<mark]), String(url[url.utf8.index(after: mark)...]))
  }
}
