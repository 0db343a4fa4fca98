import ImagePipeline

extension HostRules {
  /// What the image hosts of Zhihu need: without a `Referer` of Zhihu's own they refuse requests, and
  /// `http` URLs of old feeds are fetched by https.
  ///
  /// Keys spell URLs as the feed does; ``ZhimgAddress/keySpelling(_:)`` may be set to change that.
  public static let zhihu: HostRules = {
    let rule = Rule(referer: "https://daily.zhihu.com/", upgradesToHTTPS: true)
    var rules = HostRules()
    rules.byHost = ["zhimg.com": rule, "*.zhimg.com": rule]
    return rules
  }()
}

/// An image URL of `zhimg.com`, whose many hosts serve the same objects.
///
/// Opt-in: keys and paths of the cache spell URLs as the feed does. The rules were found by measuring
/// recorded answers of 2013 to 2024.
public struct ZhimgAddress: Sendable, Hashable {
  /// The object, independent of host, scheme and `source`: hash, size suffix and extension, after the
  /// number of a processing variant if any. For example `v2-0123…cdef_b.jpg` or `70/0123…cdef_b.jpg`.
  public let canonicalKey: String
  /// The 32 hexadecimal digits that name the image.
  public let hash: String

  private let pathAndQuery: String
  private let host: String

  /// Reads an address; `nil` when it is not one of `zhimg.com` with a hash in its name.
  public init?(_ url: String) {
    guard let host = WebURL(url)?.host, host.hasSuffix(".zhimg.com") else { return nil }
    let afterScheme = url.drop { $0 != ":" }.dropFirst(3)
    let rest = afterScheme.drop { $0 != "/" }
    let segments = rest.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
    guard let name = segments.last else { return nil }
    let bare = name.hasPrefix("v2-") ? name.dropFirst(3) : name
    let digits = bare.prefix { $0.isHexDigit && !$0.isUppercase }
    guard digits.count == 32 else { return nil }

    self.host = host
    hash = String(digits)
    pathAndQuery = String(rest.prefix { $0 != "#" })
    // 2013's paths repeat the first digits of the hash (`7b/c8/7bc8….jpg`); a number is a variant.
    let variant = segments.dropLast().filter { segment in
      segment.count == 2 && segment.allSatisfy(\.isNumber) && segments.count == 2
    }
    canonicalKey = (variant + [name]).joined(separator: "/")
  }

  /// The host by the rule of 2015 to 2019: the last digit of the hash, modulo 4, plus 1.
  public var shardHost: String {
    let digit = hash.last?.hexDigitValue ?? 0
    return "pic\(digit % 4 + 1).zhimg.com"
  }

  /// The same object on the other hosts, over https, the likeliest first: for when its own host fails.
  public var mirrors: [String] {
    var seen: Set<String> = [host]
    let hosts = [shardHost, "pic1", "pic2", "pic3", "pic4", "picx", "pica"]
      .map { $0.hasSuffix(".com") ? $0 : $0 + ".zhimg.com" }
    return hosts.filter { seen.insert($0).inserted }.map { "https://\($0)\(pathAndQuery)" }
  }

  /// Spells images of `zhimg.com` by their object and other URLs as they are; for
  /// ``HostRules/keySpelling``.
  ///
  /// Programs that look up entries by URL must then use it too.
  public static func keySpelling(_ url: String) -> String {
    ZhimgAddress(url).map { "https://zhimg.com/\($0.canonicalKey)" } ?? url
  }
}
