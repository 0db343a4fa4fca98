import ArgumentParser
import DiskCaching
import ImageFeeds
import ImageModel
import TerminalGraphics
import TextEncodings

struct LsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Lists the images in the cache.",
    discussion: "imgcache ls --day 20200616")

  @Option(
    help: .value(
      "day", "List the images of one day only.",
      "YYYYMMDD, today, yesterday, or latest: the newest in the cache."), completion: .days,
    transform: DayRequest.single)
  var day: DayRequest?

  @Option(
    help: .value(
      "text", "List the images of feeds only whose title or URL contains this text.",
      "The case of letters does not count."))
  var feed: String?

  @Flag(
    help:
      "Print columns with a header: size, pixels, type, time since the fetch, newest day and how many more, URL."
  )
  var long = false

  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  mutating func run() async throws {
    let report = common.report
    let session = try Session(withoutNetwork: common)
    let cache = session.cache
    let day = try await day?.keys(in: cache).first
    let listing = long && !report.json ? longListing : nil
    try await session.whileOpen { [feed] in
      var table: FeedTable?
      if feed != nil || report.json { table = try await session.archive.feedTable(of: day) }
      if let listing { report.line(listing.header) }
      for await record in cache.entries(matching: EntrySelection(group: day?.group)) {
        guard case .original(let url, _) = record.key, !record.isNegative else { continue }
        let days = record.groups.compactMap(DayKey.init(group:)).sorted()
        let feeds = table?.feeds(of: url, on: days) ?? []
        if let feed, !feeds.contains(where: { $0.matches(feed) }) { continue }
        let names = days.map(\.description)
        if report.json {
          report.object(.entry, Self.json(record, url, names, feeds))
        } else {
          report.line(Self.line(record, url, names, listing))
        }
      }
    }
  }

  private var longListing: LongListing {
    let isTerminal = Stream.isTerminal(1)
    let depth = ColorDepth(environment: Environment.variables, isColorless: common.noColor)
    return LongListing(
      columns: isTerminal ? TerminalDevice.columns(of: 1) : nil,
      isColored: isTerminal && depth != .none)
  }

  private static func line(
    _ record: CacheRecord, _ url: String, _ days: [String], _ listing: LongListing?
  ) -> String {
    if let listing { return listing.line(record, url: url, days: days) }
    let size = record.size.map(\.description) ?? "-"
    return [
      "\(record.byteCount)", record.format?.rawValue ?? "-", size,
      days.isEmpty ? "-" : days.joined(separator: ","),
      url.onOneLine(),
    ].joined(separator: "\t")
  }

  private static func json(
    _ record: CacheRecord, _ url: String, _ days: [String], _ feeds: [FeedReference]
  ) -> JSONLine {
    [
      "url": url, "bytes": record.byteCount, "format": record.format?.rawValue,
      "width": record.size?.width, "height": record.size?.height, "frames": record.frameCount,
      "sha256": record.content.map { $0.hash.description }, "days": days,
      "feeds": feeds.map(\.json),
      "kept": record.isKept, "pinned": record.isPinned,
      "fetched_at": record.fetchedAt.formatted(.iso8601),
      "last_access": record.lastAccess.formatted(.iso8601),
    ]
  }
}
