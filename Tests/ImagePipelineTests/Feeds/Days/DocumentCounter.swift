import ImagePipeline

@testable import ImageModel

/// Notes the documents that a pipeline loads, from wherever.
final class DocumentCounter: PipelineObserver {
  private let log = Locked<[String]>([])

  /// The URLs since the last call.
  func take() -> [String] {
    log.withLock { log in
      defer { log = [] }
      return log
    }
  }

  func requestFinished(_ report: LoadReport) {
    if report.isDocument { log.withLock { $0.append(report.request.url) } }
  }
}
