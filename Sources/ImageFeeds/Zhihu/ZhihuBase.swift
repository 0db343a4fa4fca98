import ImagePipeline

/// A base address of the Zhihu Daily API, and how its answers are found.
public struct ZhihuBase: Sendable, Hashable {
  /// The address as it was given, for messages and for remembering.
  public let spelling: String
  /// Where the routes may begin, to be tried in order; each ends with `/`.
  public let roots: [String]

  /// The public bases, as far as they are known; none is checked by this project.
  public static let publicBases = [
    ZhihuBase(root: "https://news-at.zhihu.com/api/4/"),
    ZhihuBase(root: "https://daily.zhihu.com/api/4/"),
  ]

  /// The base of the sample feed: a name that no name server knows (RFC 6761), mapped to a loopback
  /// port while the sample runs.
  package static let sample = ZhihuBase(root: "http://sample.invalid/api/4/")

  private init(root: String) {
    spelling = root
    roots = [root]
  }

  /// Reads an address: with or without a final slash, with or without `/api/4`, or with a whole route
  /// such as `…/news/latest`.
  ///
  /// A bare `http://host:port` means `http://host:port/api/4/`, and where that is not there,
  /// `http://host:port/`. An address with a path of its own is taken as it is, as mirrors need it.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for anything but an http(s) address.
  public init(_ text: String) throws(ImageError) {
    guard WebURL(text) != nil else {
      throw ImageError(
        .invalidArgument,
        "\(text.debugDescription) is not a base URL of an API; it must begin with http:// or https://"
      )
    }
    spelling = text
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

  /// Addresses of a story's page.
  static func story(_ id: String, _ root: String) -> [String] {
    [root + "news/\(id)", root + "story/\(id)"]
  }

  /// The name under which the last `latest` of a day is kept: only it had the day's top stories.
  static func latestSnapshot(of day: DayKey, _ root: String) -> String {
    root + "news/latest#latest-of-\(day)"
  }
}
