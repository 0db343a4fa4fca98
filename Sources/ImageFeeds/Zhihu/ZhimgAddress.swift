public import ImageFetching
import ImageModel

extension HostRules {
  /// The rules of Zhihu's image hosts: they require a `Referer` of Zhihu, and `http` URLs of old
  /// feeds are fetched by https.
  ///
  /// Keys spell URLs as the feed does; ``ZhimgAddress/cacheURL(_:)`` may be set to change that.
  public static let zhihu: HostRules = {
    let rule = Rule(referer: "https://daily.zhihu.com/", upgradesToHTTPS: true)
    var rules = HostRules()
    rules.byHost = ["zhimg.com": rule, "*.zhimg.com": rule]
    return rules
  }()
}

/// An image URL of `zhimg.com`, whose many hosts serve the same objects.
///
/// Opt-in: keys and paths of the cache spell URLs as the feed does. The rules were found by
/// measuring recorded responses of 2013 to 2024.
public struct ZhimgAddress: Sendable, Hashable {
  /// The object, independent of host, scheme and `source`: hash, size suffix and extension, after
  /// the number of a processing variant if any. For example `v2-0123…cdef_b.jpg` or
  /// `70/0123…cdef_b.jpg`.
  public let canonicalKey: String

  /// Reads a URL; `nil` if it is not one of `zhimg.com` with a hash in its name.
  public init?(_ url: String) {
    guard let url = WebURL(url), url.host.hasSuffix(".zhimg.com") else { return nil }
    let segments = url.target.prefix { $0 != "?" }.split(separator: "/")
    guard let name = segments.last else { return nil }
    let bare = name.hasPrefix("v2-") ? name.dropFirst(3) : name
    guard bare.prefix(while: { $0.isHexDigit && !$0.isUppercase }).count == 32 else { return nil }
    // The paths of 2013 repeat the first digits of the hash (`7b/c8/7bc8….jpg`); a number is a
    // variant.
    let variant = segments.dropLast().filter { segment in
      segment.count == 2 && segment.allSatisfy(\.isNumber) && segments.count == 2
    }
    canonicalKey = (variant + [name]).joined(separator: "/")
  }

  /// Spells images of `zhimg.com` by their object and other URLs as they are; for
  /// `HostRules.cacheURL`.
  ///
  /// Programs that look up entries by URL must then use it too.
  public static func cacheURL(_ url: String) -> String {
    ZhimgAddress(url).map { "https://zhimg.com/\($0.canonicalKey)" } ?? url
  }
}
