import ImageModel

/// URLs that count readers instead of showing an image; they are never fetched.
struct Trackers: Sendable {
  /// Hosts, lower case, including their subdomains.
  var hosts: [String]
  /// Paths, each with its host, including those below them.
  var paths: [(hostSuffix: String, path: String)]

  /// Advertisement counters of Zhihu and those common in feeds.
  static let known = Trackers(
    hosts: [
      "sugar.zhihu.com", "zhihu-web-analytics.zhihu.com", "za.zhihu.com", "google-analytics.com",
      "doubleclick.net", "feeds.feedburner.com", "stats.wordpress.com", "pixel.wp.com",
      "b.scorecardresearch.com", "hm.baidu.com",
    ],
    paths: [("feedsportal.com", "/c"), ("facebook.com", "/tr"), ("medium.com", "/_/stat")])

  func contains(_ url: String) -> Bool {
    guard let url = WebURL(url) else { return false }
    return hosts.contains { Self.host(url.host, isWithin: $0) }
      || paths.contains {
        Self.host(url.host, isWithin: $0.hostSuffix) && Self.target(url.target, isWithin: $0.path)
      }
  }

  private static func host(_ host: String, isWithin suffix: String) -> Bool {
    host == suffix || host.hasSuffix("." + suffix)
  }

  private static func target(_ target: String, isWithin path: String) -> Bool {
    guard target.hasPrefix(path) else { return false }
    let next = target.dropFirst(path.count).first
    return next == nil || next == "/" || next == "?"
  }
}
