import TextEncodings
import ImageFeeds
import ImagePipeline

/// How the progress of a prefetch is written.
extension PrefetchProgress {
  var exitStatus: Int32 {
    environmentFailed ? 2 : failed + failedDays + failedPages > 0 ? 1 : 0
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
