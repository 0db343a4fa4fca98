import ImageFeeds
import ImagePipeline
import TextEncodings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a prefetch prints: lines on stdout, remarks and the bar on stderr.
struct PrefetchOutput: Sendable {
  let report: Report
  private let showsImages: Bool
  private let hud: PrefetchHUD?
  private let showsSummary: Bool
  private let messages: MessageGroups

  /// - Parameter hud: What is drawn during the run, if anything; then a terminal gets no line for each
  ///   image.
  init(_ plan: PrefetchPlan, hud: PrefetchHUD?) {
    report = plan.report
    messages = MessageGroups(plan.report)
    self.hud = hud
    showsImages = !report.json && !report.quiet && (hud == nil || isatty(STDOUT_FILENO) == 0)
    showsSummary = !report.json && !report.quiet && !plan.options.isDryRun
  }

  // MARK: Days

  func show(_ day: FeedDay) {
    let without = day.storiesWithoutImages
    if report.json {
      report.object([
        "event": "day", "day": day.day.description, "stories": day.stories.count,
        "top_stories": day.topStories.count, "images": day.images.count,
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

  /// Writes a day or a page that is not available; nothing for any other element.
  func show(failed element: DayListing.Element) {
    Self.show(failed: element, report, messages)
  }

  static func show(
    failed element: DayListing.Element, _ report: Report, _ messages: MessageGroups
  ) {
    switch element {
    case .dayFailed(let query, let error, _):
      if report.json {
        report.object([
          "event": "day", "day": query.description, "status": "failed", "error": error.json,
        ])
      }
      messages.write(
        line("day \(query)", naming: query.description, error), in: .init(.day, error))
    case .pageFailed(let story, let day, let error):
      if report.json {
        report.object([
          "event": "story", "day": day.description, "story_id": story.id, "status": "failed",
          "error": error.json,
        ])
      }
      messages.write(
        "the page of story \(story.id) (\(day)): \(error.message)", in: .init(.page, error))
    case .answer, .day, .image, .page, .baseFailed: break
    }
  }

  /// The message after its subject; alone where it names the subject itself.
  static func line(_ subject: String, naming name: String, _ error: ImageError) -> String {
    error.message.contains(name) ? error.message : "\(subject): \(error.message)"
  }

  // MARK: Images

  func plan(_ item: DayImage, isKept: Bool) {
    let source: LoadSource = isKept ? .disk : .network
    if report.json {
      report.object([
        "event": "image", "url": item.image.url, "day": item.day.description,
        "story_id": item.image.storyID, "role": item.image.role.rawValue, "status": "planned",
        "source": source.rawValue,
      ])
    } else {
      report.line("\(isKept ? "kept" : "fetch")\t\(item.day)\t\(item.image.url.escapingControls())")
    }
  }

  func show(_ archived: ArchivedImage, _ progress: PrefetchProgress) {
    let (item, url) = (archived.image, archived.url)
    let host = WebURL(url)?.host
    if report.json { report.object(Self.json(archived)) }
    switch archived.outcome {
    case .failure(let error):
      messages.write(Self.line(url, naming: url, error), in: .init(.image, error, host: host))
    case .success(let response):
      if showsImages {
        report.line(
          [
            "ok", item.day.description, item.image.role.rawValue, archived.source?.rawValue ?? "",
            "\(response.byteCount)", url.escapingControls(),
          ].joined(separator: "\t"))
      }
      if let failure = response.storeFailure {
        messages.write(
          "\(url) could not be kept: \(failure.message)", in: .init(.storedImage, failure))
      }
      hud?.note(item, facts: Self.facts(item, response))
    }
    for case .failure(let error) in archived.thumbnails {
      messages.write(
        "\(url): thumbnail: \(error.message)", in: .init(.thumbnail, error, host: host))
    }
    showProgress(progress)
  }

  /// How far it is, where something is drawn.
  func showProgress(_ progress: PrefetchProgress) {
    hud?.note(
      ProgressBar(
        total: progress.total, finished: progress.images, failed: progress.failed,
        byteCount: progress.bytesDownloaded))
  }

  /// Which image it is, in a line for people: `story 9776089-0  150x150 jpeg 5.3 KiB`.
  private static func facts(_ item: DayImage, _ response: DataResponse) -> String {
    let size = response.size.map { "\($0) " } ?? ""
    let format = response.format.map { "\($0.rawValue) " } ?? ""
    return SheetItem(item.image, on: item.day, namingDay: false).name
      + "  \(size)\(format)\(ByteQuantity(response.byteCount))"
  }

  /// Writes what was counted only so far, and the summary.
  func finish(_ progress: PrefetchProgress, elapsed: Duration) {
    messages.finish()
    if progress.isInterrupted, !showsSummary || isatty(STDOUT_FILENO) == 0 {
      report.note(progress.interruption)
    }
    if report.json {
      report.object(progress.json(elapsed: elapsed))
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
      "event": "image", "url": image.url, "day": archived.image.day.description,
      "story_id": image.storyID, "role": image.role.rawValue,
      "status": failure == nil ? "ok" : "failed", "source": archived.source?.rawValue,
      "bytes": response?.byteCount, "format": response?.format?.rawValue,
      "width": response?.size?.width, "height": response?.size?.height,
      "frames": response?.frameCount, "ms": archived.elapsed.milliseconds,
      "error": failure?.json,
    ]
  }
}
