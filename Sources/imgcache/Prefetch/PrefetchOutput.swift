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

  /// - Parameter hud: What is drawn meanwhile, if anything; then a terminal gets no line for each
  ///   image.
  init(_ plan: PrefetchPlan, hud: PrefetchHUD?) {
    report = plan.report
    messages = MessageGroups(plan.report)
    self.hud = hud
    showsImages = !report.json && !report.quiet && (hud == nil || isatty(STDOUT_FILENO) == 0)
    showsSummary = !report.json && !report.quiet && !plan.isDryRun
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

  func show(_ query: DayQuery, failedWith error: ImageError) {
    if report.json {
      report.object([
        "event": "day", "day": query.description, "status": "failed", "error": error.json,
      ])
    }
    messages.write(
      Self.line("day \(query)", naming: query.description, error), in: .init(.day, error))
  }

  func show(_ story: FeedStory, on day: DayKey, failedWith error: ImageError) {
    if report.json {
      report.object([
        "event": "story", "day": day.description, "story_id": story.id, "status": "failed",
        "error": error.json,
      ])
    }
    messages.write(
      "the page of story \(story.id) (\(day)): \(error.message)", in: .init(.page, error))
  }

  /// The message after its subject; alone where it names the subject itself.
  static func line(_ subject: String, naming name: String, _ error: ImageError) -> String {
    error.message.contains(name) ? error.message : "\(subject): \(error.message)"
  }

  // MARK: Images

  func plan(_ item: PrefetchItem, isKept: Bool) {
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

  /// - Parameter wasDownloaded: Whether the URL was downloaded for another day of this run.
  func show(_ result: PrefetchResult, wasDownloaded: Bool, tally: PrefetchTally) {
    if report.json {
      report.object(Self.json(result, wasDownloaded: wasDownloaded))
    } else if showsImages, case .success(let response) = result.outcome {
      report.line(
        [
          "ok", result.item.day.description, result.item.image.role.rawValue,
          Self.source(of: response, wasDownloaded: wasDownloaded), "\(response.byteCount)",
          result.item.image.url.escapingControls(),
        ].joined(separator: "\t"))
    }
    let url = result.item.image.url
    let host = WebURL(url)?.host
    switch result.outcome {
    case .failure(let error):
      messages.write(Self.line(url, naming: url, error), in: .init(.image, error, host: host))
    case .success(let response):
      if let failure = response.storeFailure {
        messages.write(
          "\(url) could not be kept: \(failure.message)",
          in: .init(.storedImage, failure))
      }
    }
    for case .failure(let error) in result.thumbnails {
      messages.write(
        "\(url): thumbnail: \(error.message)", in: .init(.thumbnail, error, host: host))
    }
    if let hud, case .success(let response) = result.outcome {
      hud.note(result.item, facts: Self.facts(result.item, response))
    }
    showProgress(tally)
  }

  /// How far it is, where something is drawn.
  func showProgress(_ tally: PrefetchTally) {
    hud?.note(
      ProgressBar(
        total: tally.total, finished: tally.images, failed: tally.failed,
        byteCount: tally.bytesDownloaded))
  }

  /// Which image it is, in a line for people: `story 9776089-0  150x150 jpeg 5.3 KiB`.
  private static func facts(_ item: PrefetchItem, _ response: DataResponse) -> String {
    let size = response.size.map { "\($0) " } ?? ""
    let format = response.format.map { "\($0.rawValue) " } ?? ""
    return SheetItem(item.image, on: item.day, namingDay: false).name
      + "  \(size)\(format)\(ByteQuantity(response.byteCount))"
  }

  /// Writes what was counted only so far, and the summary.
  func finish(_ tally: PrefetchTally, elapsed: Duration) {
    messages.finish()
    if tally.isInterrupted, !showsSummary || isatty(STDOUT_FILENO) == 0 {
      report.note(tally.interruption)
    }
    if report.json {
      report.object(tally.json(elapsed: elapsed))
    } else if showsSummary {
      report.line(tally.text(elapsed: elapsed))
    }
  }

  /// Which tier answered. A load that joined the download for another day found the image kept.
  private static func source(of response: DataResponse, wasDownloaded: Bool) -> String {
    wasDownloaded && response.source == .network
      ? LoadSource.disk.rawValue : response.source.rawValue
  }

  private static func json(_ result: PrefetchResult, wasDownloaded: Bool) -> JSONLine {
    let image = result.item.image
    switch result.outcome {
    case .success(let response):
      return [
        "event": "image", "url": image.url, "day": result.item.day.description,
        "story_id": image.storyID, "role": image.role.rawValue,
        "status": response.storeFailure == nil ? "ok" : "failed",
        "source": source(of: response, wasDownloaded: wasDownloaded),
        "bytes": response.byteCount, "format": response.format?.rawValue,
        "width": response.size?.width, "height": response.size?.height,
        "frames": response.frameCount, "ms": result.elapsed.milliseconds,
        "error": response.storeFailure?.json,
      ]
    case .failure(let error):
      return [
        "event": "image", "url": image.url, "day": result.item.day.description,
        "story_id": image.storyID, "role": image.role.rawValue, "status": "failed",
        "ms": result.elapsed.milliseconds, "error": error.json,
      ]
    }
  }
}

extension ImageError {
  /// `{"code", "message"}`, with the status of the answer where there was one.
  var json: JSONLine {
    ["code": code.rawValue, "message": message, "status": status]
  }
}
