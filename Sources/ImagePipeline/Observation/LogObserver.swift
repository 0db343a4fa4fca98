import ImageModel
public import Logging

/// Writes a line for every request that ends, by swift-log: successes at `debug`, failures at
/// `notice`. The metadata has the same facts, for programs.
public struct LogObserver: PipelineObserver {
  private let logger: Logger

  /// Writes to a log.
  ///
  /// - Parameter label: The label of the log. Default: `imgcache.pipeline`.
  public init(label: String = "imgcache.pipeline") {
    logger = Logger(label: label)
  }

  /// Writes to a log whose handler and level were chosen already.
  public init(_ logger: Logger) {
    self.logger = logger
  }

  /// Writes the line.
  public func requestFinished(_ trace: LoadReport) {
    let level: Logger.Level = trace.failure == nil ? .debug : .notice
    // The line is only put together where the level is logged.
    logger.log(level: level, "\(trace.description)", metadata: metadata(of: trace))
  }

  private func metadata(of trace: LoadReport) -> Logger.Metadata {
    var metadata: Logger.Metadata = [
      "request": "\(trace.id)", "url": "\(WebURL.withoutUserinfo(trace.request.url))",
      "ms": "\((trace.elapsed / .milliseconds(1)).rounded())",
    ]
    switch trace.result {
    case .success(let ending):
      metadata["source"] = "\(ending.source.rawValue)"
      metadata["freshness"] = "\(ending.freshness.rawValue)"
      metadata["bytes"] = "\(ending.byteCount)"
    case .failure:
      metadata["error"] = "\(trace.failure?.rawValue ?? "cancelled")"
    }
    return metadata
  }
}
