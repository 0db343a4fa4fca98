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

  @Argument(help: ArgumentHelp("A day as for prefetch (default: latest).", valueName: "day"))
  var day: DayRequest = .latest

  @OptionGroup(title: "Where from") var feed: FeedArguments
  @OptionGroup(title: "The network") var network: NetworkOptions
  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  mutating func run() async throws {
    let command = self
    let status = try await Interruption.whileHandled { try await command.refresh() }
    throw ExitCode(status)
  }

  private func refresh() async throws -> Int32 {
    let choice = try rememberedChoice()
    let session = try Session(cache: cache, network: network, feed: choice, common: common)
    let previous = choice.lastRefresh(in: session.cache)
    var plan = PrefetchPlan(feed: choice, report: common.report)
    plan.days = [day]
    plan.cachePolicy = network.offline ? .onlyIfCached : .revalidate
    plan.check = network.check
    plan.concurrency = network.concurrency
    plan.showsProgress = common.showsProgress
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

  /// What the command line names, else what is remembered of the day, else the public bases.
  private func rememberedChoice() throws -> FeedChoice {
    guard feed.choice == FeedChoice() else { return feed.choice }
    let cache = try Session.openCache(cache, common: common)
    let today = DayKey.today(at: cache.configuration.clock())
    let days: [DayKey] = day.queries(today: today).compactMap {
      if case .day(let day) = $0 { day } else { nil }
    }
    return (days.isEmpty ? FeedChoice.newest(in: cache) : FeedChoice(of: days[0], in: cache))
      ?? feed.choice
  }
}
