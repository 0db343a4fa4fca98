import HTTPCaching
import HTTPTypes
import ImageModel

/// The URLs under which the responses to requests are stored: those at the origin, without what
/// rules and `No-Vary-Search` make irrelevant.
final class RequestKeys: Sendable {
  /// The forms of `No-Vary-Search` of a path's responses.
  private struct Variations {
    /// The one of the last response, by which requests are looked up; `nil` if that had none.
    var current: NoVarySearch?
    /// All, the last one last: what they have stored is purged, too.
    var known: [NoVarySearch] = []

    mutating func add(_ variation: NoVarySearch?) {
      current = variation
      guard let variation, known.last != variation else { return }
      known.removeAll { $0 == variation }
      known.append(variation)
      if known.count > RequestKeys.maximumFormCount { known.removeFirst() }
    }
  }

  /// The maximum number of paths whose forms are known, and of forms of each.
  private static let maximumPathCount = 65_536
  private static let maximumFormCount = 8

  private let rules: [ProxyRule]
  /// The origin with the prefix of its paths.
  private let base: String
  private let variations = Locked<[ExactString: Variations]>([:])

  /// - Parameter stored: The URLs of responses with `No-Vary-Search` that are stored, and their fields,
  ///   oldest first.
  init(_ rules: [ProxyRule], base: String, stored: [(url: String, fields: HTTPFields)] = []) {
    self.rules = rules
    self.base = base
    for (url, fields) in stored { learn(NoVarySearch(fields), at: url) }
  }

  /// The first rule about a target.
  func rule(for target: String) -> ProxyRule? { rules.first { $0.matches(target) } }

  /// The URL that a target means.
  func url(of target: String, _ rule: ProxyRule?) -> String {
    let url = base + target
    return rule?.key(for: url) ?? url
  }

  /// The URL under which a response to one is looked up.
  func key(for url: String) -> String { known(of: url)?.current?.canonical(url) ?? url }

  /// The URL under which a response to one is stored; requests from now on are looked up likewise.
  func key(for url: String, storing response: StoredResponse) -> String {
    let variation = NoVarySearch(response.fields)
    learn(variation, at: url)
    return variation?.canonical(url) ?? url
  }

  /// All URLs under which responses to one may be stored.
  func all(for url: String) -> Set<String> {
    Set([url] + (known(of: url)?.known.map { $0.canonical(url) } ?? []))
  }

  /// All URLs under which responses to a target may be stored.
  func all(forTarget target: String) -> [String] {
    all(for: url(of: target, rule(for: target))).sorted()
  }

  private func known(of url: String) -> Variations? {
    let path = ExactString(QueryPair.split(url).base)
    return variations.withLock { $0.isEmpty ? nil : $0[path] }
  }

  private func learn(_ variation: NoVarySearch?, at url: String) {
    let path = ExactString(QueryPair.split(url).base)
    variations.withLock { known in
      if known[path] == nil {
        if variation == nil { return }
        if known.count >= Self.maximumPathCount, let any = known.keys.first { known[any] = nil }
      }
      known[path, default: Variations()].add(variation)
    }
  }
}
