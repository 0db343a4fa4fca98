import ArgumentParser
import ImageFeeds
import ImagePipeline

/// `imgcache refresh [DAY]`: asks the origin whether the images of a day still hold.
struct RefreshCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Asks the origin, by conditional requests, whether a day's images still hold.",
    discussion: """
      imgcache refresh 20200616

      The feeds or bases that the day came from are remembered, and all of them are asked; --api or --feed names
      others.
      """)

  @Argument(
    help: ArgumentHelp("A day as for prefetch (default: latest).", valueName: "day"),
    transform: DayRequest.parse)
  var day: DayRequest = .latest

  @OptionGroup(title: "Where from") var feed: FeedOptions
  @OptionGroup(title: "The network") var network: NetworkOptions
  @OptionGroup(title: "The network") var checking: CheckOptions
  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  mutating func run() async throws {
    let command = self
    let status = try await Interruption.whileHandled { try await command.refresh() }
    throw ExitCode(status)
  }

  private func refresh() async throws -> Int32 {
    let feeds = feed.namedOrRemembered
    let session = try Session(
      cache: cache, network: network, feeds: feeds, days: [day], common: common)
    let records = DayRecords(in: session.cache)
    let sources = records.sources(of: feeds, for: [day])
    let previous = records.lastRefresh(of: sources)
    var plan = PrefetchPlan(days: [day], report: common.report)
    plan.options.policy = network.offline ? .onlyIfCached : .revalidate
    plan.options.check = checking.check
    plan.showsProgress = common.showsProgress
    plan.isColorless = common.noColor
    let ready = plan
    let (status, latest) = try await session.whileOpen {
      let status = try await PrefetchRun(ready, session: session).run()
      return (status, records.lastRefresh(of: sources))
    }
    if common.json {
      common.report.object([
        "event": "refresh", "feed": sources.map(\.description).joined(separator: " "),
        "last_success": latest,
        "previous": previous,
      ])
    } else {
      common.report.note("last refreshed \(latest ?? "never"), before that \(previous ?? "never")")
    }
    return status
  }
}
