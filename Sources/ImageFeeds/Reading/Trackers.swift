import ImageModel

/// URLs that count readers instead of showing an image: advertisement counters of Zhihu and those
/// common in feeds. They are never fetched.
enum Trackers {
  /// Hosts, lower case, including their subdomains, and on each the path, including those below it.
  private static let places: KeyValuePairs = [
    "sugar.zhihu.com": "", "zhihu-web-analytics.zhihu.com": "", "za.zhihu.com": "",
    "google-analytics.com": "", "doubleclick.net": "", "feeds.feedburner.com": "",
    "stats.wordpress.com": "", "pixel.wp.com": "", "b.scorecardresearch.com": "",
    "hm.baidu.com": "", "feedsportal.com": "/c", "facebook.com": "/tr", "medium.com": "/_/stat",
  ]

  static func contains(_ url: String) -> Bool {
    guard let url = WebURL(url) else { return false }
    return places.contains { host, path in
      guard url.host == host || url.host.hasSuffix("." + host), url.target.hasPrefix(path) else {
        return false
      }
      return [nil, "/", "?"].contains(url.target.dropFirst(path.count).first)
    }
  }
}
