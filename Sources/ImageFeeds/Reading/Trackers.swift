import ImagePipeline

/// Addresses that count readers instead of showing them anything; they are never fetched.
///
/// A list of hosts whose every address is a counter, and of single-purpose paths on other hosts.
struct Trackers: Sendable {
  /// Hosts, lower case; a name also covers everything below it.
  var hosts: [String]
  /// Beginnings of paths, each together with the end of the host that it belongs to.
  var paths: [(hostSuffix: String, prefix: String)]

  /// Those met in the wild: advertisement counters of Zhihu and the usual ones in feeds.
  static let known = Trackers(
    hosts: [
      "sugar.zhihu.com", "zhihu-web-analytics.zhihu.com", "za.zhihu.com", "google-analytics.com",
      "doubleclick.net", "feeds.feedburner.com", "stats.wordpress.com", "pixel.wp.com",
      "b.scorecardresearch.com", "hm.baidu.com",
    ],
    paths: [("feedsportal.com", "/c/"), ("facebook.com", "/tr"), ("medium.com", "/_/stat")])

  /// Whether the address is one of them.
  func contains(_ url: String) -> Bool {
    guard let host = WebURL(url)?.host else { return false }
    if hosts.contains(where: { Self.host(host, isWithin: $0) }) { return true }
    return paths.contains { rule in
      guard Self.host(host, isWithin: rule.hostSuffix) else { return false }
      let afterScheme = url.drop { $0 != ":" }.dropFirst(3)
      return afterScheme.drop { $0 != "/" }.hasPrefix(rule.prefix)
    }
  }

  private static func host(_ host: String, isWithin suffix: String) -> Bool {
    host == suffix || host.hasSuffix("." + suffix)
  }
}
