import ImageModel
import Synchronization
import TextEncodings

/// Writes what becomes of the inputs of `imgcache thumb` and `imgcache get`, from any thread.
final class ImageReport: Sendable {
  enum Content {
    case thumbnail, original

    fileprivate var event: OutputEvent { self == .thumbnail ? .thumb : .get }
    fileprivate var noun: String { self == .thumbnail ? "thumbnail" : "image" }
    fileprivate var inputKey: String { self == .thumbnail ? "input" : "url" }
    fileprivate var outputKey: String { self == .thumbnail ? "output" : "path" }
  }

  private struct State {
    var bar: ProgressBar
    var made = 0
    var unchanged = 0
    var environmentFailed = false
  }

  private let inputs: [ImageInput]
  private let content: Content
  private let folder: String
  private let report: Report
  private let messages: MessageGroups
  private let showsProgress: Bool
  private let began = ContinuousClock.now
  private let state: Mutex<State>

  /// - Parameter count: The number of images that are to be written.
  init(
    _ content: Content, of inputs: [ImageInput], count: Int, in folder: String,
    _ common: CommonOptions
  ) {
    self.content = content
    self.inputs = inputs
    self.folder = folder
    report = common.report
    messages = MessageGroups(common.report)
    showsProgress = common.showsProgress
    let bar = ProgressBar(total: count)
    state = Mutex(State(bar: bar))
    if showsProgress { StatusLine.shared.draw(bar.line(after: .zero, columns: StatusLine.columns)) }
  }

  /// Reports what was made of an input, or why `count` images of it were not made.
  func show(_ ending: ImageFiles.Ending, count: Int = 1) {
    let input = inputs[ending.index].source
    let made = try? ending.result.get()
    var failure: ImageError?
    if case .failure(let error) = ending.result { failure = error }
    if report.json {
      report.object(
        content.event,
        Self.json(
          content, input, output: made?.path, made?.made.image,
          byteCount: made?.made.byteCount, source: made?.made.source, elapsed: ending.elapsed,
          failure))
    }
    for warning in made?.made.image.warnings ?? [] {
      messages.write("\(input): \(warning)", in: .init(.warning, note: warning))
    }
    if let failure { messages.write(input == "-" ? "stdin" : input, failure) }
    draw { state in
      state.bar.finished += count
      if let made, !ending.isRepeated {
        state.bar.byteCount += made.made.byteCount
        state.made += 1
      }
      if let failure { Self.add(failure, to: &state) }
    }
  }

  /// Reports a thumbnail of an earlier call that is still the one of its input.
  func show(unchanged output: String, of index: Int) {
    if report.json {
      report.object(
        content.event,
        [
          content.inputKey: inputs[index].source,
          content.outputKey: output, "status": "unchanged",
        ])
    }
    draw { state in
      state.bar.finished += 1
      state.unchanged += 1
    }
  }

  /// Reports what is wrong with a folder among the inputs, or with the record of `--update`.
  func show(_ failure: ImageError, of path: String) {
    if report.json {
      report.object(
        content.event,
        Self.json(
          content, path, output: nil, nil, byteCount: nil, elapsed: .zero, failure))
    }
    messages.write(path, failure)
    state.withLock { Self.add(failure, to: &$0) }
  }

  private static func add(_ failure: ImageError, to state: inout State) {
    state.bar.failed += 1
    if ExitStatus.forError(failure) == ExitStatus.environment { state.environmentFailed = true }
  }

  private func draw(_ change: (inout State) -> Void) {
    let bar = state.withLock { state in
      change(&state)
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
    let (bar, made, unchanged) = state.withLock { ($0.bar, $0.made, $0.unchanged) }
    guard isInterrupted || !report.json else { return }
    var text = "\(made.counted(content.noun)) in \(folder), \(ByteQuantity(bar.byteCount))"
    if unchanged > 0 { text += "; \(unchanged) unchanged" }
    if bar.failed > 0 { text += "; \(bar.failed) failed" }
    if isInterrupted { text = "interrupted after \(bar.finished) of \(bar.total): " + text }
    report.note(text)
  }

  var exitStatus: Int32 {
    state.withLock { $0.environmentFailed ? 2 : $0.bar.failed > 0 ? 1 : 0 }
  }

  static func json(
    _ content: Content, _ input: String, output: String?, _ image: EncodedImage?, byteCount: Int?,
    source: LoadSource? = nil, elapsed: Duration, _ failure: ImageError? = nil
  ) -> JSONLine {
    [
      content.inputKey: input, content.outputKey: output,
      "status": failure == nil ? "ok" : "failed", "source": source?.rawValue,
      "format": image?.format.rawValue,
      "width": image?.size.width, "height": image?.size.height, "frames": image?.frameCount,
      "bytes": byteCount, "warnings": image?.warnings, "ms": elapsed.milliseconds,
      "error": failure?.json,
    ]
  }
}
