import ImageModel

/// A base URL of the Zhihu Daily API, and its routes.
package struct ZhihuBase: Sendable, Hashable {
  /// As it was given, for messages and for remembering.
  package let address: String
  /// The possible prefixes of routes, tried in order; each ends with `/`.
  let roots: [String]

  /// The known public bases; this project does not check them.
  static let publicBases = [
    ZhihuBase(root: "https://news-at.zhihu.com/api/4/"),
    ZhihuBase(root: "https://daily.zhihu.com/api/4/"),
  ]

  /// The base of the sample feed, with a reserved name (RFC 6761) that is mapped to a loopback port
  /// while the sample runs.
  package static let sample = ZhihuBase(root: "http://sample.invalid/api/4/")

  private init(root: String) {
    address = root
    roots = [root]
  }

  /// Reads an address: with or without a final slash, with or without `/api/4`, or with a whole
  /// route such as `…/news/latest`.
  ///
  /// A bare `http://host:port` means `http://host:port/api/4/`, and if that does not exist,
  /// `http://host:port/`. An address with another path is used unchanged, for mirrors.
  ///
  /// A user and password are not part of it: `OriginCredentials` has them.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for anything but an http(s) address.
  init(_ text: String) throws(ImageError) {
    let isURL = WebURL(text) != nil
    let text = WebURL.withoutUserinfo(text)
    guard isURL else {
      throw ImageError(
        .invalidArgument,
        "\(text.debugDescription) is not a base URL of an API; it must begin with http:// or https://",
        url: text)
    }
    address = text
    var root = text.prefix { $0 != "?" && $0 != "#" }
    for route in ["/news/latest", "/stories/latest"] where root.hasSuffix(route) {
      root = root.dropLast(route.count)
    }
    while root.hasSuffix("/") { root = root.dropLast() }
    let isBare = root.split(separator: "/").count <= 2
    roots = isBare ? ["\(root)/api/4/", "\(root)/"] : ["\(root)/"]
  }

  /// Addresses of the newest day below a root, to be tried in order.
  static func latest(_ root: String) -> [String] {
    [root + "news/latest", root + "stories/latest"]
  }

  /// Addresses of a day: the API answers `before/D` with the day before D.
  static func day(_ day: DayKey, _ root: String) -> [String] {
    [root + "news/before/\(day.next)", root + "stories/before/\(day.next)"]
  }

  static func story(_ id: String, _ root: String) -> [String] {
    [root + "news/\(id)", root + "story/\(id)"]
  }

  /// The name of the kept `latest` response of a day, the only one with its top stories.
  static func latestSnapshot(of day: DayKey, _ root: String) -> String {
    root + "news/latest#latest-of-\(day)"
  }
}
