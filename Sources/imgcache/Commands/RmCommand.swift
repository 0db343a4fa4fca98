import ArgumentParser
import FoundationEssentials
import ImageFeeds
import ImagePipeline

/// `imgcache rm`: takes entries out of the cache.
struct RmCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Removes images, a day, what is old, or everything.",
    discussion: "imgcache rm --older-than 90d")

  @Argument(help: "URLs of images.") var urls: [String] = []

  @Option(
    help: ArgumentHelp(
      "All images of this day that no other day has: YYYYMMDD, today, yesterday, or latest: the newest that is kept.",
      valueName: "day"))
  var day: KeptDay?

  @Option(
    name: .customLong("older-than"),
    help: ArgumentHelp(
      "What was fetched or confirmed longer ago than this.", valueName: "duration"))
  var olderThan: TimeQuantity?

  @Flag(help: "Everything.")
  var all = false

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func validate() throws {
    let ways = [!urls.isEmpty, day != nil, olderThan != nil, all].filter { $0 }.count
    guard ways == 1 else {
      throw ValidationError("say what to remove: URLs, --day, --older-than or --all, one of them")
    }
  }

  func run() throws {
    let cache = try Session.openCache(cache, common: common, access: .existing)
    let removed: Int
    if let day {
      removed = try cache.removeGroup(Group.day(try day.key(in: cache)))
    } else if let olderThan {
      removed = try cache.remove(
        matching: EntrySelection(before: cache.configuration.clock() - olderThan.duration.seconds))
    } else if all {
      removed = try cache.remove(matching: .all)
      try FeedChoice.forgetAll(in: cache)
    } else {
      removed = try cache.remove(urls: urls)
    }
    if common.json {
      common.report.object(["removed": removed])
    } else {
      common.report.note("\(removed) removed")
    }
    if !urls.isEmpty, removed < Set(urls).count {
      common.report.error("\(Set(urls).count - removed) of the URLs were not kept")
      throw ExitStatus.incomplete
    }
  }
}
