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

  @Flag(
    help:
      "Print columns with a header: size, pixels, type, time since the fetch, newest day and how many more, URL."
  )
  var long = false

  @OptionGroup var cached: CachedOptions

  mutating func run() async throws {
    let report = cached.report
    let cache = try cached.openCache()
    let selection = EntrySelection(group: try await day?.keys(in: cache).first?.group)
    let listing = long && !report.json ? longListing : nil
    if let listing { report.line(listing.header) }
    for await record in cache.entries(matching: selection) {
      if let line = Self.line(record, asJSON: report.json, listing) { report.line(line) }
    }
  }

  private var longListing: LongListing {
    let isTerminal = Stream.isTerminal(1)
    let depth = ColorDepth(environment: Environment.variables, isColorless: cached.common.noColor)
    return LongListing(
      columns: isTerminal ? TerminalDevice.columns(of: 1) : nil,
      isColored: isTerminal && depth != .none)
  }

  private static func line(
    _ record: CacheRecord, asJSON: Bool, _ listing: LongListing?
  ) -> String? {
    guard case .original(let url, _) = record.key, !record.isNegative else { return nil }
    let days = record.groups.compactMap(DayKey.init(group:)).sorted().map(\.description)
    if let listing { return listing.line(record, url: url, days: days) }
    guard asJSON else {
      let size = record.size.map(\.description) ?? "-"
      return [
        "\(record.byteCount)", record.format?.rawValue ?? "-", size,
        days.isEmpty ? "-" : days.joined(separator: ","),
        url.onOneLine(),
      ].joined(separator: "\t")
    }
    let object: JSONLine = [
      "url": url, "bytes": record.byteCount, "format": record.format?.rawValue,
      "width": record.size?.width, "height": record.size?.height, "frames": record.frameCount,
      "sha256": record.content.map { $0.hash.description }, "days": days,
      "kept": record.isKept, "pinned": record.isPinned,
      "fetched_at": record.fetchedAt.formatted(.iso8601),
      "last_access": record.lastAccess.formatted(.iso8601),
    ]
    return object.description
  }
}
