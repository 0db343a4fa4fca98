import ImageFeeds
import ImagePipeline

/// The main job: prints what a ``DayArchive`` does, exports the images, and tells the exit status.
actor PrefetchRun {
  private let session: Session
  private let plan: PrefetchPlan
  private let output: PrefetchOutput
  private let hud: PrefetchHUD?
  private let trace: CacheTraceRecorder?
  private let began = ContinuousClock.now
  private var export: DayExport?
  private var progress = PrefetchProgress()

  /// - Throws: ``ImageError`` when the trace cannot be written or the placeholder not be read.
  init(_ plan: PrefetchPlan, session: Session) throws {
    self.session = session
    self.plan = plan
    trace = try plan.trace.map { try CacheTraceRecorder(path: $0, clock: session.clock) }
    export = try plan.export.map {
      try DayExport(
        $0, placement: plan.exportsLinks ? .hardLink : .copy, placeholder: plan.placeholder)
    }
    hud =
      plan.showsProgress && !plan.options.isDryRun
      ? PrefetchHUD(
        cache: session.cache, showsPictures: plan.showsPictures, isColorless: plan.isColorless)
      : nil
    output = PrefetchOutput(plan, hud: hud)
  }

  /// Runs to the end and returns the exit status.
  ///
  /// - Throws: `CancellationError` after an interruption, when the summary has been told.
  func run() async throws -> Int32 {
    var interruption: CancellationError?
    do {
      try await session.archive.prefetch(plan.days, options: plan.options) {
        [self] event, progress in
        await show(event, progress)
      }
    } catch let error as CancellationError {
      interruption = error
    }
    let status = end()
    if let interruption { throw interruption }
    return status
  }

  private func show(_ event: ArchiveEvent, _ progress: PrefetchProgress) {
    self.progress = progress
    switch event {
    case .listed(let element): show(element)
    case .planned(let image, let isKept): output.plan(image, isKept: isKept)
    case .image(let image):
      export?.add(image)
      record(image)
      output.show(image, progress)
    case .warning(let text): output.report.note(text)
    case .ended: hud?.finish()
    }
  }

  private func show(_ element: DayListing.Element) {
    switch element {
    case .day(let day, _):
      output.show(day)
      output.showProgress(progress)
    case .page: output.showProgress(progress)
    case .baseFailed(let query, let error, _):
      output.report.note("another base gave day \(query): \(error.message)")
    case .dayFailed, .pageFailed: output.show(failed: element)
    case .answer, .image: break
    }
  }

  /// Writes the accesses of an image and its thumbnails to the trace.
  private func record(_ archived: ArchivedImage) {
    guard let trace else { return }
    guard case .success(let response) = archived.outcome else {
      return trace.record(archived.url, byteCount: 0)
    }
    trace.record(archived.url, byteCount: response.byteCount)
    for (recipe, made) in zip(plan.options.thumbnails, archived.thumbnails) {
      guard case .success(let thumbnail) = made else { continue }
      trace.record(
        CacheTraceLine.key(of: archived.url, variant: recipe.identity),
        byteCount: thumbnail.byteCount)
    }
  }

  /// Writes the export, the trace and the summary.
  private func end() -> Int32 {
    hud?.finish()
    var status = progress.exitStatus
    func attempt(_ write: () throws(ImageError) -> Void) {
      do throws(ImageError) { try write() } catch {
        status = 2
        output.report.error(error.message)
      }
    }
    attempt { () throws(ImageError) in try export?.write(from: session.cache) }
    attempt { () throws(ImageError) in try trace?.finish() }
    output.finish(progress, elapsed: .now - began)
    return status
  }
}

/// What a run over some days is to do, for `prefetch` and `refresh`.
struct PrefetchPlan: Sendable {
  /// The days; none means the latest.
  var days: [DayRequest]
  /// What is done with their images.
  var options = DayArchive.Options()
  /// The folder for readable copies; `nil` for none.
  var export: String?
  /// Whether those are hard links.
  var exportsLinks = false
  /// The file placed for images that failed, in the export.
  var placeholder: String?
  /// The file to which cache accesses are appended.
  var trace: String?
  /// Where the run writes.
  var report: Report
  /// Whether it draws how far it is.
  var showsProgress = false
  /// Whether it then shows each image as it arrives.
  var showsPictures = false
  /// Whether it draws without colours.
  var isColorless = false
}
