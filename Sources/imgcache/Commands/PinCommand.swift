import ArgumentParser
import ImageFeeds
import ImagePipeline

/// `imgcache pin DAY...`: keeps days from eviction.
struct PinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Keeps the images of a day from eviction and from rm --older-than.",
    discussion: """
      imgcache pin 20200616
      imgcache pin 20200601...20200630
      """)

  @OptionGroup var options: PinOptions

  func run() throws { try options.set(pinned: true) }
}

/// `imgcache unpin DAY...`: lets days be evicted again.
struct UnpinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpin", abstract: "Lets the images of a day be evicted again.",
    discussion: "imgcache unpin 20200616")

  @OptionGroup var options: PinOptions

  func run() throws { try options.set(pinned: false) }
}

/// What `pin` and `unpin` share.
struct PinOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Days: YYYYMMDD, today, yesterday, latest (the newest that is kept) or a range A...B.",
      valueName: "day"), transform: KeptDay.parse)
  var days: [KeptDay] = []

  @Option(
    help: ArgumentHelp("The same as an option; one day.", valueName: "day"),
    transform: KeptDay.single)
  var day: KeptDay?

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func validate() throws {
    if days.isEmpty, day == nil { throw ValidationError("Missing day; name one, or several") }
  }

  func set(pinned: Bool) throws {
    let cache = try Session.openCache(cache, common: common, access: .existing)
    let errors = MessageGroups(common.report)
    var isComplete = true
    for subject in days + (day.map { [$0] } ?? []) {
      for day in try subject.keys(in: cache) {
        let count = try cache.setPinned(pinned, group: day.group)
        let images = DayRecords(in: cache).imageCount(of: day)
        let error =
          images > 0 ? nil : ImageError(.dayNotFound, "no image of \(day) is kept")
        if common.json {
          common.report.object([
            "day": day.description, "pinned": pinned, "entries": count, "images": images,
            "error": error?.json,
          ])
        } else {
          common.report.note(
            "\(day): \(images.counted("image")) \(pinned ? "pinned" : "unpinned")")
        }
        if let error {
          isComplete = false
          errors.write("\(day)", error)
        }
      }
    }
    errors.finish()
    if !isComplete { throw ExitStatus.incomplete }
  }
}
