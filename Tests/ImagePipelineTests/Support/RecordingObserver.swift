@testable import ImageModel
@testable import ImagePipeline

/// Records its events.
final class RecordingObserver: PipelineObserver {
  private let heard = Locked<(words: [String], traces: [LoadReport])>(([], []))

  var words: [String] { heard.withLock { $0.words } }
  var traces: [LoadReport] { heard.withLock { $0.traces } }

  func requestStarted(_ id: UInt64, _ request: ImageRequest) {
    heard.withLock { $0.words.append("started") }
  }
  func stageEnded(_ step: LoadStep, of request: ImageRequest) {
    heard.withLock { $0.words.append(step.stage.rawValue) }
  }
  func requestFinished(_ trace: LoadReport) {
    heard.withLock {
      $0.words.append("finished")
      $0.traces.append(trace)
    }
  }
}
