import ImageFeeds
import ImagePipeline
import TextEncodings

/// What a prefetch has done so far; ends as its summary. Counts each URL once, on however many days
/// it is.
struct PrefetchTally {
  /// How the load of a URL ended.
  private enum Outcome {
    case downloaded, revalidated, cached, failed
  }

  /// The days that were loaded, in their order, each once.
  private(set) var days: [DayKey] = []
  private var knownDays: Set<DayKey> = []
  /// Queries for days that are still to be made.
  var remainingDays = 0
  /// The URLs that the days so far name.
  private var announced: Set<String> = []
  private var outcomes: [String: Outcome] = [:]
  private var counts: [Outcome: Int] = [:]
  /// The URLs that a dry run listed.
  private var planned: Set<String> = []
  private var failedThumbnails = 0
  var failedDays = 0
  /// Story pages whose images could not be listed.
  var failedPages = 0
  var bytesDownloaded = 0
  private(set) var bytesStored = 0
  private(set) var thumbnails = 0
  var requests = 0
  /// Whether storing failed, which is the environment's fault and not an image's.
  private var environmentFailed = false
  /// Whether a signal ended the run before all was done.
  var isInterrupted = false

  /// Images that are done.
  var images: Int { outcomes.count + planned.count }
  /// Images of the days so far.
  var total: Int { max(announced.count, images) }
  var downloaded: Int { counts[.downloaded, default: 0] }
  var revalidated: Int { counts[.revalidated, default: 0] }
  var cached: Int { counts[.cached, default: 0] }
  var failed: Int { counts[.failed, default: 0] + failedThumbnails }

  var exitStatus: Int32 {
    environmentFailed ? 2 : failed + failedDays + failedPages > 0 ? 1 : 0
  }

  mutating func add(_ day: FeedDay) {
    if knownDays.insert(day.day).inserted { days.append(day.day) }
    announce(day.images)
  }

  /// Notes images that are to be loaded.
  mutating func announce(_ images: [FeedImage]) {
    for image in images { announced.insert(image.url) }
  }

  /// Notes an image that a dry run listed.
  mutating func list(_ item: PrefetchItem) { planned.insert(item.image.url) }

  /// Whether a URL was downloaded earlier in this run.
  func wasDownloaded(_ url: String) -> Bool { outcomes[url] == .downloaded }

  mutating func add(_ result: PrefetchResult) {
    for thumbnail in result.thumbnails {
      switch thumbnail {
      case .success(let isNew): thumbnails += isNew ? 1 : 0
      case .failure(let error):
        failedThumbnails += 1
        note(error)
      }
    }
    let outcome = outcome(of: result)
    let url = result.item.image.url
    let before = outcomes[url]
    // On another day: the first time counts, unless it failed and this one did not.
    guard before == nil || before == .failed else { return }
    if let before { counts[before, default: 0] -= 1 }
    outcomes[url] = outcome
    counts[outcome, default: 0] += 1
    if outcome == .downloaded, case .success(let response) = result.outcome {
      bytesStored += response.byteCount
    }
  }

  private mutating func outcome(of result: PrefetchResult) -> Outcome {
    switch result.outcome {
    case .success(let response):
      // What arrived but could not be kept has failed: keeping was the job.
      if let failure = response.storeFailure {
        note(failure)
        return .failed
      }
      return switch response.source {
      case .network: .downloaded
      case .revalidated: .revalidated
      case .disk, .memory: .cached
      }
    case .failure(let error):
      note(error)
      return .failed
    }
  }

  mutating func note(_ error: ImageError) {
    switch error.code {
    case .cacheFull, .diskFull, .cacheUnusable, .storeFailed: environmentFailed = true
    default: break
    }
  }

  func json(elapsed: Duration) -> JSONLine {
    [
      "event": "summary", "days": days.map(\.description), "images": images,
      "downloaded": downloaded, "revalidated": revalidated, "cached": cached, "failed": failed,
      "bytes_downloaded": bytesDownloaded, "bytes_stored": bytesStored, "thumbnails": thumbnails,
      "requests": requests, "elapsed_ms": elapsed.milliseconds, "interrupted": isInterrupted,
      "images_total": total, "days_total": days.count + failedDays + remainingDays,
    ]
  }

  /// How far an interrupted run has come.
  var interruption: String {
    guard !days.isEmpty || failedDays > 0 else {
      return "interrupted before the first day was loaded; run again to continue"
    }
    let loaded = days.count + failedDays
    let daysText = remainingDays > 0 ? ", \(loaded) of \(loaded + remainingDays) days" : ""
    return "interrupted: \(images) of \(total) images\(daysText); run again to continue"
  }

  /// The summary in one line.
  func text(elapsed: Duration) -> String {
    let span =
      switch (days.min(), days.max()) {
      case (let first?, let last?) where first != last:
        "\(days.count) days, \(first.dashed) to \(last.dashed)"
      case (let first?, _): first.dashed
      default: "no day"
      }
    var parts = ["\(downloaded) downloaded (\(ByteQuantity(bytesDownloaded)))"]
    if revalidated > 0 { parts.append("\(revalidated) revalidated") }
    parts.append("\(cached) cached")
    if failed > 0 { parts.append("\(failed) failed") }
    if failedDays > 0 { parts.append(failedDays.counted("day") + " not available") }
    if failedPages > 0 { parts.append(failedPages.counted("story page") + " not available") }
    if thumbnails > 0 { parts.append("\(thumbnails.counted("thumbnail")) made") }
    let seconds = Double(elapsed.milliseconds) / 1000
    let what = isInterrupted ? interruption : images.counted("image")
    return "\(span): \(what): " + parts.joined(separator: ", ") + " in \(seconds) s"
  }
}

extension Duration {
  /// Whole milliseconds, rounded down.
  var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
