import ArgumentParser
import ImageFeeds
import ImagePipeline
import TextEncodings

struct RefreshCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "refresh",
    abstract: "Revalidates the images of a day at their origin, by conditional requests.",
    discussion: .examples(
      """
      imgcache refresh
      imgcache refresh 20200616

      All feeds or bases that the day came from are remembered and fetched again; --api or --feed \
      names others.
      """))

  @Argument(
    help: .value("day", "The day (default: latest).", "It is written as for prefetch."),
    completion: .days, transform: DayRequest.parse)
  var day: DayRequest = .latest

  @OptionGroup(title: "Where from", visibility: .fullHelp) var feed: FeedOptions
  @OptionGroup(title: "Cache", visibility: .fullHelp) var keeping: KeepingOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var parallel: ConcurrencyOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var patience: PatienceOptions
  @OptionGroup var options: FetchingOptions

  func run() async throws {
    throw ExitCode(try await Interruption.whileHandled { try await refresh() })
  }

  private func refresh() async throws -> Int32 {
    feed.timeZone?.use()
    let feeds = feed.namedOrRemembered
    let session = try await Session(
      options, feeds: feeds, days: [day], transfers: parallel.limits,
      busyTime: patience.giveUp.duration, keepsDays: !keeping.noKeep)
    let records = DayRecords(in: session.cache)
    let sources = await records.sources(of: feeds, for: [day], in: .machine)
    let previous = await records.lastRefresh(of: sources)
    var work = DayArchive.Options()
    work.policy = .revalidate
    work.leavesOutSkipped = true
    work.busyTime = patience.giveUp.duration
    work.separatesHosts = options.network.maxRate != nil
    work.check = options.checking.check
    let run = PrefetchRun([day], work, session: session, common: options.common)
    let (status, latest, references) = try await session.whileOpen(summarizesEvictions: true) {
      (
        try await run.run(), await records.lastRefresh(of: sources),
        await records.references(of: sources)
      )
    }
    if options.report.json {
      options.report.object(
        .refresh,
        [
          "feeds": references.map(\.json),
          "last_success": latest,
          "previous": previous,
        ])
    } else {
      options.report.note(Self.text(latest: latest, previous: previous))
    }
    return status
  }

  /// When a refresh last succeeded, this one included, and before it; one fails with a day or an
  /// image.
  static func text(latest: String?, previous: String?) -> String {
    guard let latest else { return "never refreshed completely" }
    guard latest != previous else { return "last refreshed completely \(latest)" }
    return "refreshed \(latest)" + (previous.map { ", before that \($0)" } ?? " for the first time")
  }
}
