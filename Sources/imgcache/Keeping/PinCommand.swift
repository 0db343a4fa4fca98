import ArgumentParser
import DiskCaching
import ImageFeeds
import ImageModel
import TextEncodings

struct PinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pin",
    abstract: "Keeps the images of a day from eviction and from rm --older-than.",
    discussion: """
      imgcache pin 20200616
      imgcache pin 20200601...20200630
      """)

  @OptionGroup var options: PinOptions

  mutating func run() async throws { try await options.set(pinned: true) }
}

struct UnpinCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unpin", abstract: "Lets the images of a day be evicted again.",
    discussion: "imgcache unpin 20200616")

  @OptionGroup var options: PinOptions

  mutating func run() async throws { try await options.set(pinned: false) }
}

struct PinOptions: ParsableArguments {
  @Argument(
    help: .value(
      "day", "Days, or ranges A...B.",
      "A day is YYYYMMDD, today, yesterday or latest, the newest in the cache."), completion: .days,
    transform: { text in try DayRequest(text) })
  var days: [DayRequest] = []

  @Option(
    help: .value("day", "A day, like the argument."), completion: .days,
    transform: DayRequest.single)
  var day: DayRequest?

  @OptionGroup(title: "Cache", visibility: .fullHelp) var change: DurabilityOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  func validate() throws {
    if days.isEmpty, day == nil { throw ValidationError("Missing day; name one, or several") }
  }

  func set(pinned: Bool) async throws {
    let cache = try common.openCache { change.apply(to: &$0) }
    let report = common.report
    let errors = MessageGroups(report)
    for subject in days + (day.map { [$0] } ?? []) {
      for day in try await subject.keys(in: cache) {
        let records = DayRecords(in: cache)
        let images = await records.imageCount(of: day)
        // A day may have texts alone.
        let isCached = images > 0 ? true : await !records.sources(of: day).isEmpty
        let error = isCached ? nil : ImageError(.dayNotFound, "no image of \(day) is cached")
        // A pin can outlast its images.
        let count =
          error == nil || !pinned ? try await cache.setPinned(pinned, group: day.group) : 0
        if report.json {
          report.object(
            .day,
            [
              "day": day.description, "pinned": error == nil ? pinned : nil, "entries": count,
              "images": images, "status": error == nil ? nil : "failed", "error": error?.json,
            ])
        } else if error == nil {
          report.note("\(day): \(images.counted("image")) \(pinned ? "pinned" : "unpinned")")
        }
        if let error { errors.write("\(day)", error) }
      }
    }
    try errors.end()
  }
}
