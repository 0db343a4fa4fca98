import ArgumentParser
import ImageFeeds
import ImagePipeline

/// `imgcache pin --day D`: keeps a day from eviction.
struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin", abstract: "Keeps the images of a day from eviction.")

  @OptionGroup var options: PinOptions

  func run() throws { try options.set(pinned: true) }
}

/// `imgcache unpin --day D`: lets a day be evicted again.
struct UnpinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpin", abstract: "Lets the images of a day be evicted again.")

  @OptionGroup var options: PinOptions

  func run() throws { try options.set(pinned: false) }
}

/// What `pin` and `unpin` share.
struct PinOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The day: YYYYMMDD, today, yesterday, or latest: the newest that is kept.", valueName: "day"))
  var day: KeptDay

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func set(pinned: Bool) throws {
    let cache = try Session.openCache(cache, common: common)
    let day = try day.key(in: cache)
    let count = try cache.setPinned(pinned, group: Group.day(day))
    if common.json {
      common.report.object(["day": day.description, "pinned": pinned, "entries": count])
    } else {
      common.report.note("\(day): \(count) images \(pinned ? "pinned" : "unpinned")")
    }
    if count == 0 {
      common.report.error("no image of \(day) is kept")
      throw ExitStatus.incomplete
    }
  }
}
