import ArgumentParser
import DiskCaching
import HTTPCaching
import ImageFeeds
import ImageModel
import SharedCaching
import TextEncodings

struct RmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rm",
    abstract: "Removes images, days, what is old, or everything.",
    usage: "imgcache rm [<options>] [<url|day> ...]",
    discussion: .examples(
      """
      imgcache rm 20200616
      imgcache rm --older-than 90d --dry-run
      imgcache rm https://example.org/a.jpg
      imgcache rm --tag host-example.org

      Running servers on the same cache drop within half a second what was removed by URL, day, tag or --all, and do \
      not store loads of it that are in progress. With --tier, all servers of the shared tier drop the same images \
      within a second; --older-than applies to this cache only, and --all to the images that this cache has.
      """))

  @Argument(
    help: .value(
      "url|day", "URLs of images, or days.",
      "Of a day, the images of all feeds are removed unless another day has them, too; it is YYYYMMDD, today, yesterday, latest (the newest in the cache) or a range A...B."
    ), completion: .days, transform: Self.subject)
  var subjects: [DayOrURL] = []

  @Option(
    help: .value("day", "Remove a day, like the argument."), completion: .days,
    transform: DayRequest.single)
  var day: DayRequest?

  @Option(
    help: .value(
      "tag", "Remove images with this tag.",
      "host-HOST, src-HASH, day-YYYYMMDD, or one of their origin's Cache-Tag or Surrogate-Key; repeat the option for more."
    ), transform: Self.tag)
  var tag: [CacheTag] = []

  @Option(
    help: .value(
      "duration", "Remove what was fetched or confirmed longer ago.",
      "With a unit: 12h, 90d (m is minutes). Pinned images stay, and while there are any, feed documents."
    ), transform: TimeQuantity.withUnit)
  var olderThan: TimeQuantity?

  @Flag(help: "Remove everything, pinned or not.") var all = false
  @Flag(help: "List what would be removed; remove nothing.") var dryRun = false

  @OptionGroup(title: "Several servers", visibility: .fullHelp) var tier: TierOptions
  @OptionGroup(title: "Several servers", visibility: .fullHelp) var buckets: BucketOptions
  @OptionGroup(title: "Several servers", visibility: .fullHelp) var trust: TrustOptions
  @OptionGroup(title: "Cache", visibility: .fullHelp) var change: DurabilityOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  private var urls: [String] { subjects.urls.map(WebURL.withoutFragment) }
  private var days: [DayRequest] { subjects.days + [day].compactMap(\.self) }

  func validate() throws {
    let ways = [!urls.isEmpty, !days.isEmpty, !tag.isEmpty, olderThan != nil, all]
    try require(
      ways.count(where: { $0 }) == 1,
      "say what to remove: URLs, days, --tag, --older-than or --all, one of them")
  }

  static func subject(_ text: String) throws -> DayOrURL {
    try ImageError.misuse(about: "neither an http, https or s3 URL nor a day") {
      () throws(ImageError) in try DayOrURL(text)
    }
  }

  private static func tag(_ text: String) throws -> CacheTag {
    guard let tag = CacheTag(text) else {
      throw ValidationError("'\(text)' is not a tag: visible ASCII without spaces and commas")
    }
    return tag
  }

  func run() async throws {
    let report = common.report
    let cache = try common.openCache { change.apply(to: &$0) }
    let tier = try tier.open(try buckets.buckets(), try trust.certificates())
    let selection = try await selection(in: cache)
    var urls: Set<ExactString> = []
    let removal = await Removal(selection, in: cache) { record in
      if dryRun { Self.list(record, report) }
      guard all, tier != nil else { return }
      switch record.key {
      case .original(let url, _): urls.insert(ExactString(url))
      // Others name their original by a hash.
      case .variant(let url, _) where url.contains(":"): urls.insert(ExactString(url))
      case .variant, .document: break
      }
    }
    // First, so that the command can be run again if it fails.
    if let tier, !dryRun {
      if all, urls.isEmpty {
        report.note("nothing to remove from the shared tier: no image is in this directory")
      }
      try await Self.purge(selection, all: urls.map(\.text), from: tier)
    }
    let removed = dryRun ? 0 : try await removal.perform()
    let errors = MessageGroups(report)
    for name in removal.missing {
      let (member, message) =
        switch selection {
        case .days: ("day", "no image of \(name) is cached")
        case .purge(let purge) where purge.urls.isEmpty: ("tag", "no image has the tag \(name)")
        case .purge, .olderThan, .all: ("url", "not cached")
        }
      errors.fail(name, ImageError(.notCached, message), member: member)
    }
    errors.finish()
    if report.json {
      report.object(
        .summary,
        [
          "removed": removed, "images": removal.tally[.image],
          "days": removal.days.isEmpty ? nil : removal.days.map(\.description),
          "bytes": removal.tally.byteCount, "pinned": removal.spared[.image],
          "dry_run": dryRun ? true : nil,
          "would_remove": dryRun ? removal.tally.count : nil,
        ])
    } else {
      let spared =
        removal.spared[.image] > 0
        ? "; \(removal.spared[.image].counted("pinned image")) spared" : ""
      let isEmpty = removal.tally.count == 0 && !removal.days.isEmpty
      let what =
        isEmpty ? removal.days.count.counted("day") + " without images" : removal.tally.text
      report.note("\(what) \(dryRun ? "would be removed" : "removed")\(spared)")
    }
    try errors.end()
  }

  /// What is old here may be new elsewhere, so `--older-than` concerns this directory alone.
  private static func purge(
    _ selection: Removal.Selection, all urls: [String], from tier: SharedTier
  ) async throws {
    var purge = TierPurge(time: Date())
    switch selection {
    case .purge(let selected): (purge.urls, purge.tags) = (selected.urls, selected.tags.map(\.name))
    case .days(let days): purge.tags = days.map { "day-\($0)" }
    case .all: purge.urls = urls
    case .olderThan: break
    }
    do throws(TierPurgeFailure) {
      try await tier.purge(purge)
      await tier.shutDown()
    } catch {
      await tier.shutDown()
      throw ImageError(
        .sharedTierFailed,
        "nothing is removed here: run the command again when the shared tier is available",
        cause: error)
    }
  }

  private func selection(in cache: DiskCache) async throws -> Removal.Selection {
    if let olderThan { return .olderThan(olderThan.duration) }
    if all { return .all }
    if days.isEmpty { return .purge(CachePurge(urls: urls, tags: tag)) }
    var keys: [DayKey] = []
    for day in days { keys += try await day.keys(in: cache) }
    return .days(keys)
  }

  private static func list(_ record: CacheRecord, _ report: Report) {
    let kind = Removal.Kind(record).rawValue
    let url =
      switch record.key {
      case .original(let url, _), .document(let url), .variant(let url, _): url
      }
    report.result(
      .entry, ["url": url, "kind": kind, "bytes": record.byteCount, "status": "planned"],
      text: "\(kind)\t\(record.byteCount)\t\(record.key.text.escapingControls())")
  }
}
