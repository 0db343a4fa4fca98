import ArgumentParser
import DiskCaching
import ImageFeeds
import TextEncodings

/// `imgcache ls`: lists the images of the cache.
struct LsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Lists the images in the cache.",
    discussion: "imgcache ls --day 20200616")

  @Option(
    help: .value(
      "day",
      "List the images of one day only. YYYYMMDD, today, yesterday, or latest: the newest in the cache."
    ), completion: .days, transform: KeptDay.single)
  var day: KeptDay?

  @OptionGroup var cached: ListingOptions

  mutating func run() async throws {
    let report = cached.report
    let cache = try cached.openCache()
    let selection = EntrySelection(group: try await day?.key(in: cache).group)
    for await record in cache.entries(matching: selection) {
      if let line = Self.line(record, asJSON: report.json) { report.line(line) }
    }
  }

  private static func line(_ record: CacheRecord, asJSON: Bool) -> String? {
    guard case .original(let url, _) = record.key, !record.isNegative else { return nil }
    let days = record.groups.compactMap(DayKey.init(group:)).sorted().map(\.description)
    guard asJSON else {
      let size = record.size.map(\.description) ?? "-"
      return [
        "\(record.byteCount)", record.format?.rawValue ?? "-", size,
        days.isEmpty ? "-" : days.joined(separator: ","), url,
      ].joined(separator: "\t")
    }
    let object: JSONLine = [
      "url": url, "bytes": record.byteCount, "format": record.format?.rawValue,
      "width": record.size?.width, "height": record.size?.height, "frames": record.frameCount,
      "sha256": record.content.map { $0.hash.description }, "days": days,
      "pinned": record.isPinned, "fetched_at": record.fetchedAt.iso8601,
      "last_access": record.lastAccess.iso8601,
    ]
    return object.description
  }
}
