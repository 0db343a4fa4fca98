public import ImageModel

/// Receives what happens to requests for images, data and documents: for logs, metrics and traces.
///
/// Methods are called on the threads that do the work, several at once; they must be quick and must
/// not block.
public protocol PipelineObserver: Sendable {
  /// A request was made. Called before anything else is reported of it.
  func requestStarted(_ id: UInt64, _ request: ImageRequest)
  /// A stage ended that was entered for this request. A stage that another request had begun is not
  /// reported again.
  func stageEnded(_ step: LoadStep, of request: ImageRequest)
  /// A request ended, in success or not: the last call for it.
  func requestFinished(_ report: LoadReport)
}

extension PipelineObserver {
  /// Does nothing.
  public func requestStarted(_ id: UInt64, _ request: ImageRequest) {}
  /// Does nothing.
  public func stageEnded(_ step: LoadStep, of request: ImageRequest) {}
}
