import ArgumentParser
import ImageFeeds
import ImagePipeline

/// What `prefetch` is asked to do.
struct PrefetchOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "latest, today, yesterday, YYYYMMDD, YYYY-MM-DD, YYYY/MM/DD or a range A...B (default: latest). Days are those of UTC+8.",
      valueName: "day"), transform: DayRequest.parse)
  var days: [DayRequest] = []

  @OptionGroup(title: "Where from") var feed: FeedOptions

  @Option(name: .customLong("days"), help: "So many days, ending with DAY.")
  var daysEach = 1

  @Flag(help: "Also the images inside each story page.")
  var bodies = false

  @Option(
    help: ArgumentHelp(
      "Make these thumbnails too; FIT is cover, contain, fill or inside.", valueName: "WxH[:FIT]"))
  var thumbnails: [ThumbnailSize] = []

  @OptionGroup(title: "The network") var network: NetworkOptions
  @OptionGroup(title: "The network") var checking: CheckOptions

  @Option(
    help: ArgumentHelp(
      "Afterwards place readable copies at DIR/YYYYMMDD/, with an index.json; files of other URLs are never overwritten.",
      valueName: "dir"))
  var export: String?

  @Flag(name: .customLong("export-links"), help: "Make hard links instead of copies.")
  var exportLinks = false

  @Flag(name: .customLong("dry-run"), help: "List what would be fetched, fetch no image.")
  var dryRun = false

  @Option(
    help: ArgumentHelp(
      "The image that stands in for what failed, in --export.", valueName: "file"))
  var placeholder: String?

  @Flag(help: "Show each picture as it arrives, where stderr is a terminal.")
  var show = false

  @Option(
    name: .customLong("record-trace"),
    help: ArgumentHelp("Append every cache access to a trace.", valueName: "file"))
  var recordTrace: String?

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  /// The run that these options ask for.
  var plan: PrefetchPlan {
    var plan = PrefetchPlan(days: days, report: common.report)
    plan.options.daysEach = daysEach
    plan.options.includesPages = bodies
    plan.options.thumbnails = thumbnails.map(\.recipe)
    plan.options.policy = network.cachePolicy
    plan.options.check = checking.check
    plan.options.isDryRun = dryRun
    plan.export = export
    plan.exportsLinks = exportLinks
    plan.placeholder = placeholder
    plan.trace = recordTrace
    plan.showsProgress = common.showsProgress
    plan.showsPictures = show
    plan.isColorless = common.noColor
    return plan
  }

  func validate() throws {
    guard (1...DayRequest.maximumDays).contains(daysEach) else {
      throw ValidationError("--days is between 1 and \(DayRequest.maximumDays)")
    }
  }
}

extension DayRequest {
  /// Reads a `DAY`; the error says what is wrong with it.
  @Sendable static func parse(_ text: String) throws(ImageError) -> DayRequest { try Self(text) }
}
