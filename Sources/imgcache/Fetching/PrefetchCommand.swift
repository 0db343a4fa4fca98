import ArgumentParser
import ImageFeeds
import ImageModel
import ImagePipeline

/// `imgcache prefetch`: all images of a day, or of several, to disk.
struct PrefetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefetch",
    abstract: "Fetches all images of a day and keeps them.",
    discussion: """
      imgcache prefetch                            the latest day
      imgcache prefetch 20200101...20200131        a month
      imgcache prefetch --feed https://example.org/feed.xml
      imgcache prefetch --sample --export out      no network: the embedded sample

      A day is the union of its feeds. Items of a feed are filed under their own day, undated ones under the day they
      were first seen; latest fetches all of them.

      Exit status: 0 everything is kept, 1 something is not available (the rest is kept),
      2 the cache or the disk failed.
      """)

  @Argument(
    help: .value(
      "day",
      "latest, today, yesterday, YYYYMMDD, YYYY-MM-DD, YYYY/MM/DD or a range A...B (default: latest). Days are those of UTC+8."
    ), transform: DayRequest.parse)
  var days: [DayRequest] = []

  @OptionGroup(title: "Where from") var feed: FeedOptions

  @Option(name: .customLong("days"), help: "So many days, ending with DAY.") var daysEach = 1
  @Flag(help: "Also the images inside each story page.") var bodies = false

  @Option(
    help: .value("WxH[:FIT]", "Make these thumbnails too; FIT is cover, contain, fill or inside."))
  var thumbnails: [ThumbnailSize] = []

  @Option(
    help: .value(
      "dir|file.zip",
      "Afterwards place readable copies at DIR/YYYYMMDD/ or in a zip, with an index.json and an index.html to open in a browser; files of other URLs are never overwritten."
    ))
  var export: String?

  @Option(
    help: .value(
      "template",
      "Name the copies by {title} {author} {id} {date} of the story, {name} {host} of the URL, {role} {n} {day} (default: {role}-{id}-{n}). Images exported before keep their names."
    ), transform: ExportNames.init)
  var exportNames: ExportNames = .standard

  @Flag(help: "Make hard links instead of copies, in a folder.") var exportLinks = false
  @Flag(help: "List what would be fetched, fetch no image.") var dryRun = false

  @Option(help: .value("file", "The image to place for those that failed, in --export."))
  var placeholder: String?

  @Flag(help: "Show each image as it arrives, where stderr is a terminal.") var show = false
  @Option(help: .value("file", "Append every cache access to a trace.")) var recordTrace: String?

  @OptionGroup(title: "Several servers") var tier: TierOptions
  @OptionGroup var options: FetchingOptions

  func validate() throws {
    guard (1...DayRequest.maximumDays).contains(daysEach) else {
      throw ValidationError("--days is between 1 and \(DayRequest.maximumDays)")
    }
  }

  mutating func run() async throws {
    let command = self
    let status = try await Interruption.whileHandled {
      let trace = try command.recordTrace.map {
        try CacheTraceRecorder(path: $0, clock: Session.clock)
      }
      let session = try await Session(
        command.options, feeds: .named(command.feed.sources), observers: trace.map { [$0] } ?? [],
        tier: command.tier)
      return try await session.whileOpen {
        try await session.pipeline.onOwnThreads { try await command.run(in: session, trace) }
      }
    }
    throw ExitCode(status)
  }

  private func run(in session: Session, _ trace: CacheTraceRecorder?) async throws -> Int32 {
    var work = DayArchive.Options()
    work.daysEach = daysEach
    work.includesPages = bodies
    work.thumbnails = thumbnails.map(\.recipe)
    work.policy = options.network.cachePolicy
    work.check = options.checking.check
    work.isDryRun = dryRun
    let copies = try export.map {
      try DayExport(
        $0, placement: exportLinks ? .hardLink : .copy, placeholder: placeholder,
        names: exportNames)
    }
    return try await PrefetchRun(
      days, work, session: session, common: options.common, export: copies, trace: trace,
      showsImages: show
    ).run()
  }
}

extension DayRequest {
  @Sendable static func parse(_ text: String) throws(ImageError) -> DayRequest { try Self(text) }
}
