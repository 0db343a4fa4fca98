import ArgumentParser
import ImageFeeds
import ImageModel
import ImagePipeline

struct PrefetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefetch",
    abstract: "Fetches all images of a day and keeps them.",
    usage: "imgcache prefetch [<options>] [<day> ...]",
    discussion: .examples(
      """
      imgcache prefetch                            the latest day
      imgcache prefetch 20200101...20200131        a month
      imgcache prefetch --feed https://example.org/feed.xml

      The images of a day are kept: no limit evicts them, and --max-size does not count them. 'rm', --older-than and \
      --max-age remove them; with --no-keep they are entries like others. With too little free space (--min-free) a run \
      stops.

      A day is the union of its feeds. Items of a feed are filed under their own day, undated ones under the day they \
      were first seen; latest fetches all of them. Days of Zhihu Daily are those of UTC+8, those of other feeds of \
      --time-zone.
      """))

  @Argument(
    help: .value(
      "day", "Days, or ranges A...B (default: latest).",
      "A day is latest, today, yesterday, YYYYMMDD, YYYY-MM-DD or YYYY/MM/DD."), completion: .days,
    transform: DayRequest.parse)
  var days: [DayRequest] = []

  @OptionGroup(title: "Where from", visibility: .fullHelp) var feed: FeedOptions
  @OptionGroup(title: "What", visibility: .fullHelp) var filter: FilterOptions
  @OptionGroup(title: "Cache", visibility: .fullHelp) var keeping: KeepingOptions

  @Option(name: .customLong("days"), help: .value("n", "The number of days, ending with <day>."))
  var daysEach = 1

  @Flag(help: "Fetch the images inside each story page, too.") var bodies = false

  @Option(
    help: .value(
      "WxH[:FIT]", "Make thumbnails of this size, too.",
      "FIT is cover, contain, fill or inside; repeat the option for more."))
  var thumbnails: [ThumbnailSize] = []

  @Option(
    help: .value(
      "dir|file", "Place readable copies in a folder, or in a file .zip, .cbz or .epub.",
      "They are at DIR/YYYYMMDD/. An index.json and an index.html for a browser describe them; files "
        + "of other URLs are never overwritten. A zip keeps its days; a comic book (.cbz) and an "
        + "EPUB (.epub) are written again."), completion: .directory)
  var export: String?

  @Option(
    help: .rare(
      "template", "Name the copies by a template (default: {role}-{id}-{n}).",
      "It takes {title} {author} {id} {date} of the story, {name} {host} of the URL, {role} {n} {day}. Images exported before keep their names."
    ), transform: ExportNames.init)
  var exportNames: ExportNames = .standard

  @Flag(help: .rare(nil, "Make hard links instead of copies, in the folder of --export."))
  var exportLinks = false
  @Flag(help: "List what would be fetched; fetch no image.") var dryRun = false

  @Option(
    help: .rare(
      "duration", "Stay, and run again after this time.",
      "A run that fails is reported, and the next one tries again. A signal between runs ends with exit status 0."
    ), transform: TimeQuantity.positive)
  var every: TimeQuantity?

  @Option(
    help: .rare("file", "Export this image in place of those that failed."), completion: .file())
  var placeholder: String?

  @Flag(help: .rare(nil, "Draw each image as it arrives, on a terminal.")) var show = false
  @Option(
    help: .rare(
      "file", "Append every cache access to a trace file.", "'imgcache simulate' reads it."),
    completion: .file()) var recordTrace: String?

  @OptionGroup(title: "Several servers", visibility: .fullHelp) var tier: TierOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var parallel: ConcurrencyOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var patience: PatienceOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var origin: OriginUseOptions
  @OptionGroup var options: FetchingOptions

  func validate() throws {
    try require(
      (1...DayRequest.maximumDays).contains(daysEach),
      "--days is between 1 and \(DayRequest.maximumDays)")
    guard export != nil || !exportLinks && exportNames == .standard else {
      let option = exportLinks ? "--export-links" : "--export-names"
      throw ValidationError("\(option) needs --export: it concerns the copies made there")
    }
    guard every == nil || !feed.sources.contains(.standardInput) else {
      throw ValidationError(
        "--every reads its feeds again: the standard input can be read only once")
    }
  }

  func run() async throws {
    feed.timeZone?.use()
    _ = try copies()
    let status = try await Interruption.whileHandled {
      guard let every else { return try await runOnce() }
      return try await run(every: every.duration)
    }
    throw ExitCode(status)
  }

  /// Runs until a signal comes. The time is from start to start, by a clock that is never set; a run
  /// that takes longer is followed by the next one at once.
  private func run(every interval: Duration) async throws -> Int32 {
    while true {
      let start = ContinuousClock.now
      do {
        _ = try await runOnce()
      } catch let error as ImageError where error.code != .invalidArgument {
        let failure = CommandFailure(error)
        if options.report.json { options.report.object(failure.event, failure.json) }
        options.report.error(failure.text)
      }
      do {
        try await Task.sleep(until: start + interval, clock: .continuous)
      } catch {
        return 0
      }
    }
  }

  private func copies() throws(ImageError) -> DayExport? {
    guard let export else { return nil }
    return try DayExport(export, links: exportLinks, placeholder: placeholder, names: exportNames)
  }

  private func runOnce() async throws -> Int32 {
    let copies = try copies()
    let trace = try recordTrace.map { try CacheTraceRecorder(path: $0) }
    let isOffline = origin.offlineUse.offline
    // Offline the days are in the cache, whatever they came from.
    let session = try await Session(
      options, feeds: isOffline ? feed.namedOrRemembered : .named(feed.sources),
      transfers: parallel.limits, busyTime: patience.giveUp.duration, isOffline: isOffline,
      observers: trace.map { [$0] } ?? [], tier: tier, keepsDays: !keeping.noKeep)
    return try await session.whileOpen(summarizesEvictions: true) {
      try await session.pipeline.onOwnThreads { try await run(in: session, copies, trace) }
    }
  }

  private func run(
    in session: Session, _ copies: DayExport?, _ trace: CacheTraceRecorder?
  ) async throws -> Int32 {
    var work = DayArchive.Options()
    work.daysEach = daysEach
    work.includesPages = bodies
    work.filter = filter.filter
    work.leavesOutSkipped = origin.offlineUse.offline && work.filter == ImageFilter()
    work.thumbnails = thumbnails.map(\.recipe)
    work.policy = origin.cachePolicy
    work.check = options.checking.check
    work.isDryRun = dryRun
    work.busyTime = patience.giveUp.duration
    work.separatesHosts = options.network.maxRate != nil
    return try await PrefetchRun(
      days, work, session: session, common: options.common, export: copies, trace: trace,
      showsImages: show
    ).run()
  }
}

extension DayRequest {
  @Sendable static func parse(_ text: String) throws(ImageError) -> DayRequest {
    guard
      ImageSource.isURL(text)
        || [".xml", ".json", ".opml", ".txt"].contains(where: text.hasSuffix)
    else { return try Self(text) }
    throw ImageError.misuse("\"\(text)\" is not a day; a feed is named by --feed \(text)")
  }
}
