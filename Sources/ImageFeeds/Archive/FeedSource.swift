import ImageFetching
public import ImageModel
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// Identifies a feed: bases of Zhihu Daily, the URL or file of another feed, or the sample.
///
/// The cache records the feeds of each day (see ``DayRecords``), so that they can be requested
/// again.
public struct FeedSource: Hashable, Sendable, CustomStringConvertible {
  enum Kind: Hashable, Sendable {
    case zhihuDaily(bases: [String])
    case sample
    /// A URL, a path, or `-` for the standard input.
    case document(String)
  }

  let kind: Kind
  /// The URLs as they were given, with users and passwords.
  private var named: [String] = []

  init(_ kind: Kind) { self.kind = kind }

  /// Whether it is the same feed, whatever password it is requested with.
  public static func == (one: FeedSource, other: FeedSource) -> Bool { one.kind == other.kind }
  /// Hashes what equality compares.
  public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

  /// Zhihu Daily at the public bases of its API.
  public static let zhihuDaily = zhihuDaily(bases: [])

  /// Zhihu Daily at other bases of its API, tried in order; none means the public ones.
  public static func zhihuDaily(bases: [String]) -> FeedSource {
    var source = FeedSource(.zhihuDaily(bases: bases.map(WebURL.withoutUserinfo)))
    source.named = bases
    return source
  }

  /// The days of a `SampleOrigin`; the fetcher must map its host to its port.
  public static let sample = FeedSource(.sample)

  /// RSS, Atom, JSON Feed or a list of image URLs at an http(s) URL.
  public static func url(_ url: String) -> FeedSource {
    var source = FeedSource(.document(WebURL.withoutUserinfo(url)))
    source.named = [url]
    return source
  }

  /// The same formats in a file. Spellings of one path, such as `./a.xml` and `b/../a.xml`, name
  /// one feed.
  public static func file(_ path: String) -> FeedSource {
    FeedSource(.document(standardized(path)))
  }

  /// The same formats from the standard input, which can be read only once.
  public static let standardInput = FeedSource(.document("-"))

  /// For people, and the name in the records of refreshes: `zhihu http://…`, `sample`, or the URL
  /// or path.
  public var description: String {
    switch kind {
    case .zhihuDaily(let bases): "zhihu " + bases.joined(separator: " ")
    case .sample: "sample"
    case .document(let name): name
    }
  }

  /// - Parameter titles: Those of feeds, by their descriptions.
  func reference(_ titles: [String: String]) -> FeedReference {
    switch kind {
    case .zhihuDaily(let bases):
      FeedReference(
        title: ZhihuDaily.title, url: bases.first ?? ZhihuBase.publicBases[0].address)
    case .sample: FeedReference(title: ZhihuDaily.title, url: ZhihuBase.sample.address)
    case .document(let name): FeedReference(title: titles[description], url: name)
    }
  }

  /// The bases, URL or path as they were given; for a `HostGuard` that exempts them.
  public var addresses: [String] {
    switch kind {
    case .zhihuDaily(let bases): bases
    case .sample: []
    case .document(let name): [name]
    }
  }

  /// Checks the bases or URL, without a request.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for one that is not http(s).
  public func check() throws(ImageError) {
    switch kind {
    case .zhihuDaily(let bases): for base in bases { _ = try ZhihuBase(base) }
    case .document(let name) where Self.isURL(name): try SyndicationFeed.check(name)
    case .document, .sample: break
    }
  }

  private static func isURL(_ name: String) -> Bool {
    ["http://", "https://"].contains { name.prefix($0.count).lowercased() == $0 }
  }

  /// The zone of its days: that of Zhihu Daily, or of the items of other feeds.
  func zone(orOfItems zone: DayZone) -> DayZone {
    if case .document = kind { zone } else { .utcPlus8 }
  }

  /// Whether it is a feed at a URL, other than Zhihu Daily.
  var isRemote: Bool { if case .document(let name) = kind { Self.isURL(name) } else { false } }

  var isZhihuDaily: Bool { if case .zhihuDaily = kind { true } else { false } }

  var isStandardInput: Bool { self == .standardInput }

  private static func standardized(_ path: String) -> String {
    let whole =
      path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    let name = whole.drop { $0 != "/" }.split(separator: "/").last ?? ""
    // The real path of the folder, as `..` after a symbolic link leads elsewhere than its text;
    // the file itself may be a link that is meant to change.
    guard ![".", ".."].contains(name), whole.hasSuffix("/" + name),
      let folder = realpath(String(whole.dropLast(name.count)), nil)
    else { return whole }
    defer { free(folder) }
    let prefix = String(cString: folder)
    return (prefix == "/" ? "" : prefix) + "/" + name
  }
}

extension FeedSource {
  /// How a file is read; `-` is the standard input.
  typealias Reading = @Sendable (_ path: String) throws -> [UInt8]

  /// - Parameter isRemembered: Whether the cache names the feed, not the caller: then the standard
  ///   input is not read, and a file only when what was kept of it is not enough.
  func feed(
    isRemembered: Bool, documents: any DocumentLoading,
    zone: DayZone = .utcPlus8, clock: @escaping @Sendable () -> Date, read: @escaping Reading
  ) throws -> any ImageFeed {
    let zone = self.zone(orOfItems: zone)
    let today: @Sendable () -> DayKey = { zone.day(at: clock()) }
    for url in named { _ = documents.pipelineConfiguration?.fetcher.credentials.extract(from: url) }
    switch kind {
    case .zhihuDaily(let bases):
      return ZhihuDaily(
        bases: bases.isEmpty ? ZhihuBase.publicBases : try bases.map { try ZhihuBase($0) },
        documents: documents, today: today)
    case .sample:
      return ZhihuDaily(bases: [.sample], documents: documents, today: today)
    case .document(let name) where Self.isURL(name):
      var feed = try SyndicationFeed(url: name, documents: documents, zone: zone, today: today)
      // One that the cache names is shared by later runs.
      feed.isReadOnce = !isRemembered
      return feed
    case .document(let name) where isRemembered:
      let reading: SyndicationFeed.Reader = {
        DayInputs.current?.recordFile()
        // Reading a pipe could wait for ever.
        guard Self.isRegularFile(name) else {
          throw ImageError(
            .fileUnreadable, "cannot read \(name): it is not a regular file any more")
        }
        return (try read(name), clock())
      }
      return SyndicationFeed(
        file: name, isKept: true, documents: documents, zone: zone, today: today,
        reading: isStandardInput ? nil : reading)
    case .document(let name):
      do {
        return SyndicationFeed(
          bytes: try read(name), name: name, keptIn: documents, readAt: clock(), zone: zone,
          today: today)
      } catch let error as ImageError {
        // Each of its days fails.
        return SyndicationFeed(
          file: name, isKept: false, documents: nil, zone: zone, today: today
        ) {
          throw error
        }
      }
    }
  }

  static func read(_ path: String) throws(ImageError) -> [UInt8] {
    try FileFetcher.read(path == "-" ? "/dev/stdin" : path, maximumByteCount: 64 << 20)
  }

  private static func isRegularFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }
}

extension FeedSource {
  /// The JSON of the records: `{"api":[…],"feed":[…],"sample":false}`.
  struct Stored: Codable {
    private var api: [String] = []
    private var feed: [String] = []
    private var sample = false

    init(_ source: FeedSource) {
      switch source.kind {
      case .zhihuDaily(let bases): api = bases
      case .sample: sample = true
      case .document(let name): feed = [name]
      }
    }

    var kept: FeedSource {
      if let name = feed.first { return FeedSource(.document(name)) }
      return sample ? .sample : .zhihuDaily(bases: api)
    }
  }
}
