import ImageFeeds
import ImageModel
import ImagePipeline

/// A prefetch or refresh: prints the events of a ``DayArchive`` and exports the images.
actor PrefetchRun {
  private let session: Session
  private let days: [DayRequest]
  private let options: DayArchive.Options
  private let output: PrefetchOutput
  private let hud: PrefetchHUD?
  private let trace: CacheTraceRecorder?
  private let began = ContinuousClock.now
  private var export: DayExport?
  private var progress = PrefetchProgress()
  /// Whether a signal ended the wait for another export of the folder.
  private var isExportInterrupted = false

  /// - Parameter days: None means the latest.
  init(
    _ days: [DayRequest], _ options: DayArchive.Options, session: Session, common: CommonOptions,
    export: DayExport? = nil, trace: CacheTraceRecorder? = nil, showsImages: Bool = false
  ) {
    self.session = session
    self.days = days
    self.options = options
    self.export = export
    self.trace = trace
    hud =
      common.showsProgress && !options.isDryRun
      ? PrefetchHUD(session, showsImages: showsImages, isColorless: common.noColor)
      : nil
    output = PrefetchOutput(common.report, hud: hud, isDryRun: options.isDryRun)
  }

  /// - Throws: `ExitCode` after an interruption; the summary says so.
  func run() async throws -> Int32 {
    var interruption: CancellationError?
    do {
      try await session.archive.prefetch(days, options: options) {
        [self] event, progress in
        await show(event, progress)
      }
    } catch let error as CancellationError {
      interruption = error
    }
    let status = await end()
    if let interruption { throw Interruption.exitCode ?? interruption }
    if isExportInterrupted, let code = Interruption.exitCode { throw code }
    return status
  }

  private func show(_ event: ArchiveEvent, _ progress: PrefetchProgress) async {
    export?.add(event)
    output.show(event, progress)
    guard case .ended = event else { return }
    // The only one that is kept: a copy of each would be copied in full by the next change.
    self.progress = progress
    await hud?.finish()
  }

  private func end() async -> Int32 {
    await hud?.finish()
    var status = progress.exitStatus
    func fail(_ error: ImageError) {
      status = 2
      if output.report.json { output.report.object(.error, CommandFailure(error).json) }
      output.report.error(error.message)
    }
    if let export {
      do {
        let notes = try await session.archive.place(export)
        for note in notes { output.report.note(note) }
      } catch let error as ImageError {
        isExportInterrupted = error.code == .interrupted
        fail(error)
      } catch {
        fail(ImageError(.storeFailed, "cannot export: \(error)"))
      }
    }
    do throws(ImageError) { try trace?.finish() } catch { fail(error) }
    output.finish(progress, elapsed: .now - began)
    return status
  }
}
