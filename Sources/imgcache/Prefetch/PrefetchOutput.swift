import ImageFeeds
import ImagePipeline

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

  /// - Parameter hud: What is drawn meanwhile, if anything; then a terminal gets no line for each image.
  init(_ plan: PrefetchPlan, hud: PrefetchHUD?) {
    report = plan.report
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
      report.note("\(day.day): story \(story.id) has no image")
    }
    for warning in day.warnings { report.note("\(day.day): \(warning)") }
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
    report.error(Self.line("day \(query)", naming: query.description, error))
  }

  func show(_ story: FeedStory, on day: DayKey, failedWith error: ImageError) {
    if report.json {
      report.object([
        "event": "story", "day": day.description, "story_id": story.id, "status": "failed",
        "error": error.json,
      ])
    }
    report.error("the page of story \(story.id) (\(day)): \(error.message)")
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

  func show(_ result: PrefetchResult, tally: PrefetchTally) {
    if report.json {
      report.object(Self.json(result))
    } else if showsImages, case .success(let response) = result.outcome {
      report.line(
        [
          "ok", result.item.day.description, result.item.image.role.rawValue,
          response.source.rawValue, "\(response.byteCount)",
          result.item.image.url.escapingControls(),
        ].joined(separator: "\t"))
    }
    switch result.outcome {
    case .failure(let error):
      let url = result.item.image.url
      report.error(Self.line(url, naming: url, error))
    case .success(let response):
      if let failure = response.storeFailure {
        report.error("\(result.item.image.url) could not be kept: \(failure.message)")
      }
    }
    for case .failure(let error) in result.thumbnails {
      report.error("\(result.item.image.url): thumbnail: \(error.message)")
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
        total: tally.announced, finished: tally.images, failed: tally.failed,
        byteCount: tally.bytesDownloaded))
  }

  /// Which image it is, in a line for people: `story 9776089-0  150x150 jpeg 5.3 KiB`.
  private static func facts(_ item: PrefetchItem, _ response: DataResponse) -> String {
    let size = response.size.map { "\($0) " } ?? ""
    let format = response.format.map { "\($0.rawValue) " } ?? ""
    return SheetItem(item.image, on: item.day, namingDay: false).name
      + "  \(size)\(format)\(ByteQuantity(response.byteCount))"
  }

  func finish(_ tally: PrefetchTally, elapsed: Duration) {
    if report.json {
      report.object(tally.json(elapsed: elapsed))
    } else if showsSummary {
      report.line(tally.text(elapsed: elapsed))
    }
  }

  private static func json(_ result: PrefetchResult) -> JSONLine {
    let image = result.item.image
    switch result.outcome {
    case .success(let response):
      return [
        "event": "image", "url": image.url, "day": result.item.day.description,
        "story_id": image.storyID, "role": image.role.rawValue,
        "status": response.storeFailure == nil ? "ok" : "failed",
        "source": response.source.rawValue,
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
