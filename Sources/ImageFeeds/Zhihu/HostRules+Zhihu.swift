public import ImageFetching
import ImageModel

extension HostRules {
  /// The rules of Zhihu's image hosts: they require a `Referer` of Zhihu, and `http` URLs of old
  /// feeds are fetched by https.
  ///
  /// Keys spell URLs as the feed does; ``zhimgCacheURL(_:)`` may be set to change that.
  public static let zhihu: HostRules = {
    let rule = Rule(referer: "https://daily.zhihu.com/", upgradesToHTTPS: true)
    var rules = HostRules()
    rules.byHost = ["zhimg.com": rule, "*.zhimg.com": rule]
    return rules
  }()

  /// Spells images of `zhimg.com`, whose many hosts serve the same objects, by their object, and
  /// other URLs as they are; for `HostRules.cacheURL`.
  ///
  /// Programs that look up entries by URL must then use it too. The rules were found by measuring
  /// recorded responses of 2013 to 2024.
  public static func zhimgCacheURL(_ url: String) -> String {
    guard let parsed = WebURL(url), parsed.host.hasSuffix(".zhimg.com") else { return url }
    let segments = parsed.target.prefix { $0 != "?" }.split(separator: "/")
    guard let name = segments.last else { return url }
    let bare = name.hasPrefix("v2-") ? name.dropFirst(3) : name
    guard bare.prefix(while: { $0.isHexDigit && !$0.isUppercase }).count == 32 else { return url }
    // The paths of 2013 repeat the first digits of the hash (`7b/c8/7bc8….jpg`); a number is a
    // variant.
    let variant = segments.dropLast().filter { segment in
      segment.count == 2 && segment.allSatisfy(\.isNumber) && segments.count == 2
    }
    return "https://zhimg.com/" + (variant + [name]).joined(separator: "/")
  }
}
