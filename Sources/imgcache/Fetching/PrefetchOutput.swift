import DiskCaching
import ImageFeeds
import ImageModel
import ImagePipeline
import TextEncodings

struct PrefetchOutput: Sendable {
  let report: Report
  private let showsImages: Bool
  private let hud: PrefetchHUD?
  private let showsSummary: Bool
  private let messages: MessageGroups

  /// - Parameter hud: With it no line is written for each image to a terminal.
  init(_ report: Report, hud: PrefetchHUD?, isDryRun: Bool) {
    self.report = report
    self.hud = hud
    messages = MessageGroups(report)
    showsImages = !report.json && !report.quiet && (hud == nil || !Stream.isTerminal(1))
    showsSummary = !report.json && !report.quiet && !isDryRun
  }

  func show(_ event: ArchiveEvent, _ progress: PrefetchProgress) {
    switch event {
    case .listed(.day(let day, _)): show(day)
    case .listed(.baseFailed(let query, let error, _)):
      report.note("day \(query) came from another base: \(error.message)")
    case .listed(let element): messages.write(failed: element)
    case .planned(let image, let isKept): plan(image, isKept: isKept)
    case .image(let image): show(image)
    case .skipped(let image): skip(image)
    case .warning(let text): report.note(text)
    case .overLimit(let error):
      if report.json { report.object(.error, CommandFailure(error).json) }
      report.error(error.message)
    case .ended: return
    }
    hud?.record(
      ProgressBar(total: progress.total, finished: progress.images, failed: progress.failed))
  }

  private func show(_ day: FeedDay) {
    let without = day.storiesWithoutImages
    if report.json {
      report.object(
        .day,
        [
          "day": day.day.description, "stories": day.stories.count,
          "top_stories": day.topStories.count, "images": day.images.count,
          "feed": day.feed.map(\.json),
          "stories_without_images": without.count, "source": day.source.rawValue,
          "warnings": day.warnings,
        ])
    }
    for story in without {
      messages.write(
        "\(day.day): story \(story.id) has no image", in: .init(.story, note: "no image"))
    }
    for warning in day.warnings {
      messages.write("\(day.day): \(warning)", in: .init(.warning, note: "--verbose shows all"))
    }
    report.detail(
      "\(day.day): \(day.stories.count) stories, \(day.topStories.count) top stories, \(day.images.count) images"
    )
  }

  private func plan(_ item: DayImage, isKept: Bool) {
    let source: LoadSource = isKept ? .disk : .network
    report.result(
      .image,
      [
        "url": item.image.url, "day": item.day.description,
        "story_id": item.image.storyID, "role": item.image.role.rawValue, "status": "planned",
        "source": source.rawValue,
      ],
      text: "\(isKept ? "kept" : "fetch")\t\(item.day)\t\(item.image.url.escapingControls())")
  }

  private func skip(_ item: DayImage) {
    guard report.json else {
      return report.detail("left out: \(item.image.url.escapingControls())")
    }
    report.object(
      .image,
      [
        "url": item.image.url, "day": item.day.description,
        "story_id": item.image.storyID, "role": item.image.role.rawValue, "status": "skipped",
      ])
  }

  private func show(_ archived: ArchivedImage) {
    let (item, url) = (archived.image, archived.url)
    let host = WebURL(url)?.host ?? S3Address(url)?.bucket
    if report.json { report.object(.image, Self.json(archived)) }
    switch archived.outcome {
    case .failure(let error): messages.write(url, error, in: .init(.image, error, host: host))
    case .success(let response):
      if let failure = response.storeFailure {
        messages.write(
          "\(url) could not be kept: \(failure.message)", in: .init(.storedImage, failure))
      } else if showsImages {
        report.line(
          [
            "ok", item.day.description, item.image.role.rawValue, archived.source?.rawValue ?? "",
            "\(response.byteCount)", url.escapingControls(),
          ].joined(separator: "\t"))
      }
      hud?.record(item, facts: Self.facts(item, response))
    }
    for thumbnail in archived.thumbnails {
      switch thumbnail {
      case .success(let made):
        for warning in made.warnings {
          messages.write("\(url): thumbnail: \(warning)", in: .init(.thumbnail, note: warning))
        }
      case .failure(let error):
        messages.write(
          "\(url): thumbnail: \(error.message)", in: .init(.thumbnail, error, host: host))
      }
    }
  }

  /// For example `story 9776089-0  150x150 jpeg 5.3 KiB`.
  private static func facts(_ item: DayImage, _ response: DataResponse) -> String {
    let size = response.size.map { "\($0) " } ?? ""
    let format = response.format.map { "\($0.rawValue) " } ?? ""
    let (image, count) = (item.image, ByteQuantity(response.byteCount))
    return "\(image.role.shortName) \(image.storyID)-\(image.index)  \(size)\(format)\(count)"
  }

  func finish(_ progress: PrefetchProgress, elapsed: Duration) {
    messages.finish()
    if progress.isInterrupted, !showsSummary || !Stream.isTerminal(1) {
      report.note(progress.interruption)
    }
    if report.json {
      report.object(.summary, progress.json(elapsed: elapsed))
    } else if showsSummary {
      report.line(progress.text(elapsed: elapsed))
    }
  }

  private static func json(_ archived: ArchivedImage) -> JSONLine {
    let image = archived.image.image
    var response: DataResponse?
    var failure: ImageError?
    switch archived.outcome {
    case .success(let loaded): (response, failure) = (loaded, loaded.storeFailure)
    case .failure(let error): failure = error
    }
    return [
      "url": image.url, "day": archived.image.day.description,
      "story_id": image.storyID, "role": image.role.rawValue,
      "status": failure == nil ? "ok" : "failed", "source": archived.source?.rawValue,
      "bytes": response?.byteCount, "format": response?.format?.rawValue,
      "width": response?.size?.width, "height": response?.size?.height,
      "frames": response?.frameCount, "ms": archived.elapsed.milliseconds,
      "error": failure?.json,
    ]
  }
}

extension PrefetchProgress {
  var exitStatus: Int32 { environmentFailed ? 2 : failed + failedDays + failedPages > 0 ? 1 : 0 }

  func json(elapsed: Duration) -> JSONLine {
    [
      "days": days.map(\.description), "images": images,
      "downloaded": downloaded, "revalidated": revalidated, "cached": cached, "failed": failed,
      "bytes_downloaded": bytesDownloaded, "bytes_stored": bytesStored, "thumbnails": thumbnails,
      "skipped": skipped,
      "requests": requests, "elapsed_ms": elapsed.milliseconds, "interrupted": isInterrupted,
      "evicted": evicted.count, "evicted_bytes": evicted.byteCount, "images_total": total,
      "days_total": days.count + failedDays + remainingDays,
    ]
  }

  var interruption: String {
    guard !days.isEmpty || failedDays > 0 else {
      return "interrupted before the first day was loaded; run again to continue"
    }
    let loaded = days.count + failedDays
    let daysText = remainingDays > 0 ? ", \(loaded) of \(loaded + remainingDays) days" : ""
    return "interrupted: \(images) of \(total) images\(daysText); run again to continue"
  }

  func text(elapsed: Duration) -> String {
    let seconds = Double(elapsed.milliseconds) / 1000
    if days.isEmpty, failedDays > 0, !isInterrupted {
      return "\(failedDays.counted("day")) not available, no image loaded in \(seconds) s"
    }
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
    if skipped > 0 { parts.append("\(skipped) left out") }
    if failedDays > 0 { parts.append(failedDays.counted("day") + " not available") }
    if failedPages > 0 { parts.append(failedPages.counted("story page") + " not available") }
    if evicted.count > 0 { parts.append("\(evicted.count) evicted") }
    if thumbnails > 0 { parts.append("\(thumbnails.counted("thumbnail")) made") }
    let what = isInterrupted ? interruption : images.counted("image")
    return "\(span): \(what): " + parts.joined(separator: ", ") + " in \(seconds) s"
  }
}
