/// Hears what happens to requests: for logs, metrics and tests.
///
/// Called on the threads that do the work, several at once: an observer is quick and never waits.
public protocol PipelineObserver: Sendable {
  /// A request was made. Comes before anything else of it.
  func requestStarted(_ id: UInt64, _ request: ImageRequest)
  /// A stage ended that was entered for this request. Stages that others had begun are not told again.
  func stageEnded(_ step: LoadStep, of request: ImageRequest)
  /// A request ended, well or not: the last that is heard of it.
  func requestFinished(_ trace: LoadReport)
}

extension PipelineObserver {
  /// Does nothing.
  public func requestStarted(_ id: UInt64, _ request: ImageRequest) {}
  /// Does nothing.
  public func stageEnded(_ step: LoadStep, of request: ImageRequest) {}
}
