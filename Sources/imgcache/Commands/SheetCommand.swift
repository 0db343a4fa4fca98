import ArgumentParser
import ImageFeeds
import ImagePipeline

/// `imgcache sheet DAY|URL... -o FILE`: many images on one page.
struct SheetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sheet",
    abstract: "Makes a contact sheet with captions of a day's images, or of given URLs.",
    discussion: """
      imgcache sheet 20200616 -o day.png
      imgcache sheet 20200601...20200630 --offline -o june.jpg
      imgcache sheet https://example.org/a.jpg https://example.org/b.gif -o two.png

      Images that are not kept are fetched, unless --offline. More than --per-page of them go on several pages,
      june-01.jpg, june-02.jpg and so on. The feeds or bases that a day came from are remembered; --api or --feed
      names others. Exit status 1: something was not available, and its place shows the placeholder.
      """)

  @Argument(help: ArgumentHelp("Days as for prefetch, or URLs of images.", valueName: "day|url"))
  var subjects: [String]

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("The sheet: .png, .jpg or .jpeg says the format.", valueName: "file"))
  var output: String

  @OptionGroup(title: "Where from") var feed: FeedOptions

  @Flag(help: "Also the images inside each story page.")
  var bodies = false

  @Option(help: ArgumentHelp("The box of each picture (default: 200x200).", valueName: "WxH"))
  var cell: ThumbnailSize?

  @Option(
    help: ArgumentHelp(
      "Pictures side by side (default: as many as make the page 4:3).", valueName: "n"))
  var columns: Int?

  @Option(name: .customLong("per-page"), help: ArgumentHelp("Pictures on a page.", valueName: "n"))
  var perPage = 200

  @Option(help: ArgumentHelp("The colour of the page (default: ffffff).", valueName: "RRGGBB"))
  var background: PixelColor?

  @Option(help: "The quality of a JPEG, 1 to 100.") var quality = 85

  @Option(
    help: ArgumentHelp("The image that stands in for what cannot be had.", valueName: "file"))
  var placeholder: String?

  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "The network") var network: NetworkOptions
  @OptionGroup(title: "The network") var checking: CheckOptions
  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func validate() throws {
    guard (1...100).contains(quality) else {
      throw ValidationError("--quality is between 1 and 100")
    }
    guard (1...10_000).contains(perPage), (1...1000).contains(columns ?? 1) else {
      throw ValidationError("--per-page is between 1 and 10000, --columns between 1 and 1000")
    }
    if let cell, min(cell.size.width, cell.size.height) < 16 {
      throw ValidationError("--cell has at least 16 pixels a side")
    }
    do throws(ImageError) {
      for subject in subjects { _ = try SheetPlan.Subject(subject) }
      try plan().checkPage()
    } catch {
      throw ValidationError(error.message)
    }
  }

  mutating func run() async throws {
    let command = self
    let status = try await Interruption.whileHandled { try await command.make() }
    throw ExitCode(status)
  }

  private func make() async throws -> Int32 {
    let plan = try plan()
    let session = try Session(
      cache: cache, network: network,
      feeds: plan.days.isEmpty ? .named([]) : feed.namedOrRemembered,
      days: plan.days, common: common, namedURLs: plan.urls, limits: plan.limits)
    return try await session.whileOpen {
      try await session.pipeline.onOwnThreads {
        var run = try SheetRun(plan, session: session)
        return try await run.run()
      }
    }
  }

  private func plan() throws(ImageError) -> SheetPlan {
    var read: [SheetPlan.Subject] = []
    for subject in subjects { read.append(try SheetPlan.Subject(subject)) }
    var plan = SheetPlan(
      subjects: read, file: try SheetFile(output), report: common.report)
    plan.options.includesPages = bodies
    plan.options.policy = network.cachePolicy
    plan.options.check = checking.check
    plan.concurrency = network.concurrency
    plan.picture = cell?.size ?? plan.picture
    plan.columns = columns
    plan.perPage = perPage
    plan.background = background ?? plan.background
    plan.quality = quality
    plan.placeholder = placeholder
    plan.limits = limits.limits()
    plan.showsProgress = common.showsProgress
    return plan
  }
}
