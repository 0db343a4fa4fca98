import ImagePipeline

/// An image address at `zhimg.com`: many hosts, one store of objects.
///
/// A value for those who choose to use it: keys and paths of the cache spell URLs as the feed does.
/// Rules found by measuring recorded answers of 2013 to 2024.
public struct ZhimgAddress: Sendable, Hashable {
  /// The object, whatever the host, the scheme and the `source` say: hash, size suffix and extension, after
  /// the number of a processing variant where there is one. For example `v2-0123…cdef_b.jpg` or
  /// `70/0123…cdef_b.jpg`.
  public let canonicalKey: String
  /// The 32 hexadecimal digits that name the picture.
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

  /// The host that the rule of 2015 to 2019 gives: the last digit of the hash, modulo 4, plus 1.
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
}
