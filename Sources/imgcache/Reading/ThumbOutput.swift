import ImageModel
import Synchronization
import TextEncodings

/// Writes what becomes of the inputs of `imgcache thumb`, from any thread.
final class ThumbOutput: Sendable {
  private struct State {
    var bar: ProgressBar
    var environmentFailed = false
  }

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

  func show(_ ending: ThumbFiles.Ending) {
    let input = inputs[ending.index]
    let made = try? ending.result.get()
    var failure: ImageError?
    if case .failure(let error) = ending.result { failure = error }
    if report.json {
      report.object(
        Self.json(
          input, output: made?.path, made?.made.image, byteCount: made?.made.byteCount,
          elapsed: ending.elapsed, failure))
    }
    for warning in made?.made.image.warnings ?? [] {
      messages.write("\(input): \(warning)", in: .init(.warning, note: warning))
    }
    if let failure { messages.write(input == "-" ? "stdin" : input, failure) }
    let bar = state.withLock { state in
      state.bar.finished += 1
      state.bar.byteCount += made?.made.byteCount ?? 0
      if let failure {
        state.bar.failed += 1
        if ExitStatus.forError(failure) == ExitStatus.environment { state.environmentFailed = true }
      }
      return state.bar
    }
    guard showsProgress else { return }
    StatusLine.shared.draw(ifDue: {
      bar.line(after: .now - began, columns: StatusLine.columns)
    })
  }

  func note(_ url: String, notKept failure: ImageError) {
    messages.write("\(url) could not be kept: \(failure.message)", in: .init(.storedImage, failure))
  }

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

  var exitStatus: Int32 {
    state.withLock { $0.environmentFailed ? 2 : $0.bar.failed > 0 ? 1 : 0 }
  }

  static func json(
    _ input: String, output: String?, file: String? = nil, _ image: EncodedImage?,
    byteCount: Int?, elapsed: Duration, _ failure: ImageError? = nil
  ) -> JSONLine {
    [
      "event": "thumb", "input": input, "output": output,
      "status": failure == nil ? "ok" : "failed", "format": image?.format.rawValue,
      "width": image?.size.width, "height": image?.size.height, "frames": image?.frameCount,
      "file": file, "bytes": byteCount, "warnings": image?.warnings, "ms": elapsed.milliseconds,
      "error": failure?.json,
    ]
  }
}
