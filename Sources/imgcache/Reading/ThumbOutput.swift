import ImageModel
import Synchronization
import TextEncodings

/// Writes what becomes of the inputs of `imgcache thumb`, from any thread: a line of JSON each,
/// errors, and the progress.
final class ThumbOutput: Sendable {
  private struct State {
    var bar: ProgressBar
    var drawnAt: ContinuousClock.Instant?
    var environmentFailed = false
  }

  /// Ten drawings a second at most.
  private static let interval = Duration.milliseconds(100)

  private let inputs: [String]
  private let folder: String
  private let report: Report
  private let messages: MessageGroups
  private let showsProgress: Bool
  private let began = ContinuousClock.now
  private let state: Mutex<State>

  init(_ inputs: [String], folder: String, _ common: CommonOptions) {
    self.inputs = inputs
    self.folder = folder
    report = common.report
    messages = MessageGroups(common.report)
    showsProgress = common.showsProgress
    let bar = ProgressBar(total: inputs.count)
    state = Mutex(State(bar: bar))
    if showsProgress { StatusLine.shared.draw(bar.line(after: .zero, columns: StatusLine.columns)) }
  }

  func show(_ endings: [ThumbFiles.Ending]) {
    for ending in endings {
      let input = inputs[ending.index]
      if report.json { report.object(json(ending)) }
      var failure: ImageError?
      var byteCount = 0
      switch ending.result {
      case .success(let (_, made)):
        byteCount = made.byteCount
        for warning in made.warnings {
          messages.write("\(input): \(warning)", in: .init(.warning, note: warning))
        }
      case .failure(let error):
        failure = error
        messages.write(input == "-" ? "stdin" : input, error)
      }
      count(byteCount, failure)
    }
  }

  func note(_ url: String, notKept failure: ImageError) {
    messages.write("\(url) could not be kept: \(failure.message)", in: .init(.storedImage, failure))
  }

  /// Removes the progress, and writes how many thumbnails were made.
  func finish(isInterrupted: Bool) {
    if showsProgress { StatusLine.shared.draw("") }
    messages.finish()
    let bar = state.withLock { $0.bar }
    guard isInterrupted || !report.json else { return }
    let made = bar.finished - bar.failed
    var text = "\(made.counted("thumbnail")) in \(folder), \(ByteQuantity(bar.byteCount))"
    if bar.failed > 0 { text += "; \(bar.failed) failed" }
    if isInterrupted { text = "interrupted after \(bar.finished) of \(bar.total): " + text }
    report.note(text)
  }

  /// 0, 1 if an input failed, or 2 if the folder could not be written to.
  var exitStatus: Int32 {
    state.withLock { $0.environmentFailed ? 2 : $0.bar.failed > 0 ? 1 : 0 }
  }

  private func count(_ byteCount: Int, _ failure: ImageError?) {
    let now = ContinuousClock.now
    let bar = state.withLock { state -> ProgressBar? in
      state.bar.finished += 1
      state.bar.byteCount += byteCount
      if let failure {
        state.bar.failed += 1
        if ExitStatus.forError(failure) == ExitStatus.environment { state.environmentFailed = true }
      }
      guard showsProgress, state.drawnAt.map({ now - $0 >= Self.interval }) ?? true else {
        return nil
      }
      state.drawnAt = now
      return state.bar
    }
    guard let bar else { return }
    StatusLine.shared.draw(bar.line(after: now - began, columns: StatusLine.columns))
  }

  private func json(_ ending: ThumbFiles.Ending) -> JSONLine {
    var output: String?
    var made: ThumbFiles.Made?
    var failure: ImageError?
    switch ending.result {
    case .success(let value): (output, made) = (value.path, value.made)
    case .failure(let error): failure = error
    }
    return [
      "event": "thumb", "input": inputs[ending.index], "output": output,
      "status": failure == nil ? "ok" : "failed", "format": made?.format.rawValue,
      "width": made?.size.width, "height": made?.size.height, "frames": made?.frameCount,
      "bytes": made?.byteCount, "warnings": made?.warnings,
      "ms": ending.elapsed.milliseconds, "error": failure?.json,
    ]
  }
}
