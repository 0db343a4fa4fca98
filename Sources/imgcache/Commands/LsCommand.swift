import ArgumentParser
import ImageFeeds
import ImagePipeline
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `imgcache ls`: what is kept.
struct LsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ls",
    abstract: "Lists what is kept.",
    discussion: "imgcache ls --day 20200616")

  @Option(
    help: ArgumentHelp(
      "Only the images of this day: YYYYMMDD, today, yesterday, or latest: the newest that is kept.",
      valueName: "day"), transform: KeptDay.single)
  var day: KeptDay?

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func run() throws {
    let report = common.report
    let cache = try Session.openCache(cache, common: common, access: .existing)
    let selection = EntrySelection(
      group: try day.map { try $0.key(in: cache).group }, kind: nil)
    cache.forEachEntry(matching: selection) { record in
      if let line = Self.line(record, asJSON: common.json) { report.line(line) }
      return true
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

extension Date {
  /// For example `2026-11-21T09:15:00Z`.
  var iso8601: String { formatted(.iso8601) }
}
