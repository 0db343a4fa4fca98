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

  @OptionGroup(title: "Where from") var feed: FeedArguments
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
    let kept = try Session.openCache(
      cache, common: common, access: network.offline ? .existing : .create)
    let days = FeedDays.remembered(for: day, in: kept, unless: feed.choice)
    let sources = days.map(\.source)
    let session = try Session(
      cache: cache, network: network, feed: FeedChoice(merging: sources), common: common)
    let previous = FeedChoice.lastRefresh(of: sources, in: session.cache)
    var plan = PrefetchPlan(days: days, report: common.report)
    plan.isRemembered = feed.choice == FeedChoice()
    plan.cachePolicy = network.offline ? .onlyIfCached : .revalidate
    plan.check = checking.check
    plan.concurrency = network.concurrency
    plan.showsProgress = common.showsProgress
    plan.isColorless = common.noColor
    let ready = plan
    let (status, latest) = try await session.whileOpen {
      let status = try await PrefetchRun(ready, session: session).run()
      return (status, FeedChoice.lastRefresh(of: sources, in: session.cache))
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
