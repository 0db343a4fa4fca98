import ImageModel

/// URLs that count readers instead of showing an image: advertisement counters of Zhihu and those
/// common in feeds. They are never fetched.
enum Trackers {
  /// Hosts, lower case, including their subdomains.
  private static let hosts = [
    "sugar.zhihu.com", "zhihu-web-analytics.zhihu.com", "za.zhihu.com", "google-analytics.com",
    "doubleclick.net", "feeds.feedburner.com", "stats.wordpress.com", "pixel.wp.com",
    "b.scorecardresearch.com", "hm.baidu.com",
  ]
  /// Paths, each with its host, including those below them.
  private static let paths: [(hostSuffix: String, path: String)] = [
    ("feedsportal.com", "/c"), ("facebook.com", "/tr"), ("medium.com", "/_/stat"),
  ]

  static func contains(_ url: String) -> Bool {
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
