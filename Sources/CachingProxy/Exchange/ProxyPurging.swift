import DiskCaching
import HTTPCaching
import HTTPListening
import HTTPTypes
import ImageFetching
import ImageModel

struct ProxyPurge: Sendable {
  var urls: [String] = []
  /// The beginnings of others.
  var prefixes: [String] = []
  var tags: [CacheTag] = []
  /// Whether responses are to be stale rather than gone. In the shared tier, and on its other
  /// servers, they are gone.
  var isSoft = false
}

extension ProxyPurge {
  static let lists = ["urls", "prefixes", "tags"]

  /// - Throws: ``Problem`` 400 for a URL, a path or a tag that is none.
  init(_ request: PurgeRequest, _ services: ProxyServices) throws(Problem) {
    for text in request["urls"] { urls += try services.urls(named: text) }
    for path in request["prefixes"] {
      guard path.hasPrefix("/") else {
        throw Problem(.badRequest, "bad_prefix", "A prefix is a path, which begins with a slash.")
      }
      prefixes.append(services.keys.url(of: path, nil))
    }
    for text in request["tags"] { tags.append(try PurgeRequest.tag(text)) }
    isSoft = request.isSoft
  }
}

extension ProxyServices {
  /// The keys that a URL means, of the origin or of this proxy under any name, or a target.
  fileprivate func urls(named text: String) throws(Problem) -> [String] {
    let text = String(text.prefix { $0 != "#" })
    if text.hasPrefix("/") { return keys.all(forTarget: text) }
    guard let url = WebURL(text), let end = text.firstRange(of: "://")?.upperBound else {
      throw Problem(.badRequest, "bad_url", "A URL is a path or an http or https URL.")
    }
    let rest = text[end...]
    var target = String(rest.firstIndex { $0 == "/" || $0 == "?" }.map { rest[$0...] } ?? "/")
    if target.hasPrefix("?") { target = "/" + target }
    if url.origin == client.origin, !client.pathPrefix.isEmpty {
      let rest = target.dropFirst(client.pathPrefix.count)
      guard target.hasPrefix(client.pathPrefix), rest.hasPrefix("/") else {
        return [client.origin + target]
      }
      target = String(rest)
    }
    return keys.all(forTarget: target)
  }

  /// Purges what is stored, here and on the other servers of the shared tier. Responses in flight
  /// are not stored.
  ///
  /// - Returns: The number of responses that were removed, or made stale.
  /// - Throws: ``Problem`` 501 if the store or the tier cannot find them, 503 if the purge has not
  ///   reached the tier; `ImageError` if they cannot be removed.
  func purge(_ purge: ProxyPurge) async throws -> Int {
    guard purge.prefixes.isEmpty || tier == nil else {
      throw Problem(
        .notImplemented, "no_prefixes", "A shared tier is purged by URLs and tags, not by prefixes."
      )
    }
    let tags = purge.tags.map(\.name)
    let failure = await purgeTier(TierPurge(urls: purge.urls, tags: tags, time: clock()))
    for url in purge.urls { flights.outdate(url) }
    var urls = purge.urls
    if !purge.prefixes.isEmpty || !tags.isEmpty {
      // Which responses these are is not known yet.
      flights.outdate(nil)
      guard let found = try store.urls(under: purge.prefixes, tagged: tags) else {
        throw Problem(.notImplemented, "no_search", "This proxy's store is purged by URLs alone.")
      }
      urls += found
    }
    let count = purge.isSoft ? soften(Set(urls)) : try store.purge(urls, tags: tags)
    metrics.add(count, to: PurgeRequest.counter)
    guard let failure else { return count }
    log("purge: \(failure)")
    throw Problem.tierNotPurged
  }

  /// First of all nothing may come from the tier any more.
  private func purgeTier(_ purge: TierPurge) async -> TierPurgeFailure? {
    do throws(TierPurgeFailure) {
      try await tier?.purge(purge)
      return nil
    } catch {
      return error
    }
  }

  /// Makes responses stale: their `Age` is that of responses whose lifetime has just ended.
  private func soften(_ urls: Set<String>) -> Int {
    let now = clock()
    var count = 0
    for url in urls {
      for entry in store.entries(for: url, request: [:]) {
        var response = entry.response
        let freshness = profile.freshness(of: response)
        let missing = freshness.remaining(at: now)
        guard missing > 0, missing.isFinite else { continue }
        let stated = freshness.initialAge + missing + 1
        response.fields[.age] = String(Int(min(stated.rounded(.up), Double(1 << 31))))
        _ = store.update(entry, as: response, for: url)
        count += 1
      }
    }
    return count
  }
}
