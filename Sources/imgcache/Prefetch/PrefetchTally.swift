import ImageFeeds
import ImagePipeline

/// What a prefetch has done so far; ends as its summary.
struct PrefetchTally {
  var days: [DayKey] = []
  /// Images that the days so far have, for the progress bar.
  var announced = 0
  var images = 0
  var downloaded = 0
  var revalidated = 0
  var cached = 0
  var failed = 0
  var failedDays = 0
  /// Story pages whose images could not be listed.
  var failedPages = 0
  var bytesDownloaded = 0
  var bytesStored = 0
  var thumbnails = 0
  var requests = 0
  /// Whether storing failed, which is the environment's fault and not a picture's.
  var environmentFailed = false

  var exitStatus: Int32 {
    environmentFailed ? 2 : failed + failedDays + failedPages > 0 ? 1 : 0
  }

  mutating func add(_ result: PrefetchResult) {
    images += 1
    announced = max(announced, images)
    for thumbnail in result.thumbnails {
      switch thumbnail {
      case .success(let isNew): thumbnails += isNew ? 1 : 0
      case .failure(let error):
        failed += 1
        note(error)
      }
    }
    switch result.outcome {
    case .success(let response):
      // What was had but could not be kept has failed: keeping was the job.
      if let failure = response.storeFailure {
        failed += 1
        note(failure)
        return
      }
      switch response.source {
      case .network:
        downloaded += 1
        bytesStored += response.byteCount
      case .revalidated: revalidated += 1
      case .disk, .memory: cached += 1
      }
    case .failure(let error):
      failed += 1
      note(error)
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
      "requests": requests, "elapsed_ms": elapsed.milliseconds,
    ]
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
    if failedDays > 0 { parts.append("\(failedDays) days could not be had") }
    if failedPages > 0 { parts.append("\(failedPages) story pages could not be had") }
    if thumbnails > 0 { parts.append("\(thumbnails) thumbnails made") }
    let seconds = Double(elapsed.milliseconds) / 1000
    return "\(span): \(images) images: " + parts.joined(separator: ", ") + " in \(seconds) s"
  }
}

extension Duration {
  /// Whole milliseconds, rounded down.
  var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}
