import ImageModel

/// URLs that count readers instead of showing an image; they are never fetched.
struct Trackers: Sendable {
  /// Hosts, lower case, including their subdomains.
  var hosts: [String]
  /// Prefixes of paths, each with its host.
  var paths: [(hostSuffix: String, prefix: String)]

  /// Advertisement counters of Zhihu and those common in feeds.
  static let known = Trackers(
    hosts: [
      "sugar.zhihu.com", "zhihu-web-analytics.zhihu.com", "za.zhihu.com", "google-analytics.com",
      "doubleclick.net", "feeds.feedburner.com", "stats.wordpress.com", "pixel.wp.com",
      "b.scorecardresearch.com", "hm.baidu.com",
    ],
    paths: [("feedsportal.com", "/c/"), ("facebook.com", "/tr"), ("medium.com", "/_/stat")])

  func contains(_ url: String) -> Bool {
    guard let url = WebURL(url) else { return false }
    return hosts.contains { Self.host(url.host, isWithin: $0) }
      || paths.contains {
        Self.host(url.host, isWithin: $0.hostSuffix) && url.target.hasPrefix($0.prefix)
      }
  }

  private static func host(_ host: String, isWithin suffix: String) -> Bool {
    host == suffix || host.hasSuffix("." + suffix)
  }
}
