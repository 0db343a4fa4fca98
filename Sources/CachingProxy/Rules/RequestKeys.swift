import HTTPCaching
import HTTPTypes
import ImageModel

/// The URLs under which the responses to requests are stored: those at the origin, without what
/// rules and `No-Vary-Search` make irrelevant.
final class RequestKeys: Sendable {
  /// The maximum number of paths whose field is known. One that is forgotten costs a miss.
  private static let maximumPathCount = 4096

  private let rules: [ProxyRule]
  /// The origin with the prefix of its paths.
  private let base: String
  /// The last `No-Vary-Search` of a path's responses.
  private let variations = Locked<[ExactString: NoVarySearch]>([:])

  init(_ rules: [ProxyRule], base: String) {
    self.rules = rules
    self.base = base
  }

  /// The first rule about a target.
  func rule(for target: String) -> ProxyRule? { rules.first { $0.matches(target) } }

  /// The URL that a target means.
  func url(of target: String, _ rule: ProxyRule?) -> String {
    let url = base + target
    return rule?.key(for: url) ?? url
  }

  /// The URL under which a response to one is looked up.
  func key(for url: String) -> String {
    let path = ExactString(QueryPair.split(url).base)
    return variations.withLock { $0.isEmpty ? nil : $0[path] }?.canonical(url) ?? url
  }

  /// The URL under which a response to one is stored; requests from now on find it there.
  func key(for url: String, storing response: StoredResponse) -> String {
    guard let variation = NoVarySearch(response.fields) else { return url }
    variations.withLock { known in
      if known.count >= Self.maximumPathCount, let any = known.keys.first { known[any] = nil }
      known[ExactString(QueryPair.split(url).base)] = variation
    }
    return variation.canonical(url)
  }

  /// All URLs under which responses to a target may be stored.
  func all(for target: String) -> [String] {
    let url = url(of: target, rule(for: target))
    let key = key(for: url)
    return key == url ? [url] : [url, key]
  }
}
