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

      The feed or base that the day came from is remembered; --api or --feed names another.
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
    let choice = FeedChoice.remembered(
      for: day, in: try Session.openCache(cache, common: common), unless: feed.choice)
    let session = try Session(cache: cache, network: network, feed: choice, common: common)
    let previous = choice.lastRefresh(in: session.cache)
    var plan = PrefetchPlan(feed: choice, report: common.report)
    plan.days = [day]
    plan.cachePolicy = network.offline ? .onlyIfCached : .revalidate
    plan.check = checking.check
    plan.concurrency = network.concurrency
    plan.showsProgress = common.showsProgress
    plan.isColorless = common.noColor
    let ready = plan
    let (status, latest) = try await session.whileOpen {
      let status = try await PrefetchRun(ready, session: session).run()
      return (status, choice.lastRefresh(in: session.cache))
    }
    if common.json {
      common.report.object([
        "event": "refresh", "feed": choice.description, "last_success": latest,
        "previous": previous,
      ])
    } else {
      common.report.note("last refreshed \(latest ?? "never"), before that \(previous ?? "never")")
    }
    return status
  }
}
