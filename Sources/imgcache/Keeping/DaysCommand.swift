import ArgumentParser
import ImageFeeds
import ImageModel
import TerminalGraphics
import TextEncodings

struct DaysCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "days",
    abstract: "Lists the days in the cache.",
    discussion: .examples(
      """
      imgcache days                the days, the newest first
      imgcache days --missing      their images that are not in the cache, and why

      Columns: day, stories, images, missing images, size, how the images are held (pinned, or kept as an archive), when \
      all was last fetched, and the feeds. 'imgcache prefetch DAY' fetches what is missing.
      """))

  @Flag(help: "List the images that are missing: the day, why, and the URL.") var missing = false

  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  func run() async throws {
    let session = try Session(withoutNetwork: common)
    let (archive, report) = (session.archive, common.report)
    try await session.whileOpen {
      if missing {
        for image in try await archive.missingImages() {
          report.result(.image, Self.json(image), text: Self.line(image))
        }
      } else if report.json {
        for day in try await archive.summaries() { report.object(.day, Self.json(day)) }
      } else {
        for line in Self.table(try await archive.summaries()) { report.line(line) }
      }
    }
  }

  private static func json(_ image: MissingImage) -> JSONLine {
    [
      "url": image.url, "day": image.day.description, "status": "failed",
      "error": image.failure.map { ["code": $0.rawValue, "status": image.status] as JSONLine },
    ]
  }

  private static func line(_ image: MissingImage) -> String {
    let status = image.status.map { " \($0)" } ?? ""
    return "\(image.day)\t\(image.failure?.rawValue ?? "not_fetched")\(status)\t\(image.url)"
  }

  private static func json(_ day: DaySummary) -> JSONLine {
    [
      "day": day.day.description,
      "feeds": day.feeds.map(\.json),
      "stories": day.storyCount, "top_stories": day.topStoryCount, "images": day.imageCount,
      "missing": day.missingImageCount, "skipped": day.skippedImageCount, "bytes": day.byteCount,
      "kept": day.isKept, "pinned": day.isPinned, "refreshed": day.refreshedAt,
    ]
  }

  private static func names(of feeds: [FeedReference]) -> String {
    // Feeds of one title are told apart by their URLs.
    let names = feeds.prefix(3).map { feed in
      let isAlone = feeds.count { $0.label == feed.label } == 1
      return TextColumns.cut((isAlone ? feed.label : feed.url).onOneLine(), 40)
    }
    let rest = feeds.count - names.count
    return names.joined(separator: ", ") + (rest > 0 ? " +\(rest)" : "")
  }

  /// A header and a line for each day, in columns.
  private static func table(_ days: [DaySummary]) -> [String] {
    guard !days.isEmpty else { return [] }
    let rows =
      [["DAY", "STORIES", "IMAGES", "MISSING", "SIZE", "HELD", "REFRESHED", "FEEDS"]]
      + days.map { day in
        [
          day.day.dashed, "\(day.storyCount)", "\(day.imageCount)", "\(day.missingImageCount)",
          "\(ByteQuantity(day.byteCount))",
          day.isPinned ? "pinned" : day.isKept ? "kept" : "-", day.refreshedAt ?? "-",
          names(of: day.feeds),
        ]
      }
    let widths = rows[0].indices.map { column in
      rows.reduce(0) { max($0, TextColumns.count($1[column])) }
    }
    return rows.map { row in
      row.enumerated().map { column, cell in
        let gap = String(repeating: " ", count: widths[column] - TextColumns.count(cell))
        return column == row.count - 1 ? cell : (1...4).contains(column) ? gap + cell : cell + gap
      }.joined(separator: "  ")
    }
  }
}
