import ImageModel
import ImagePipeline

extension Session {
  /// Runs `body`, which loads one image, with the bytes that arrive in a line at the bottom of the
  /// terminal, unless options forbid it.
  func whileShowingProgress<Result: Sendable>(
    _ common: CommonOptions, _ body: () async throws -> Result
  ) async throws -> Result {
    guard common.showsProgress else { return try await body() }
    let (loop, rate) = (StatusLoop(), Locked(RecentRate()))
    loop.start { [pipeline] elapsed, _ in
      // Nothing while nothing arrives.
      guard let arriving = pipeline.arrivingBodies.first, arriving.receivedByteCount > 0 else {
        return ""
      }
      return BodyProgress(
        receivedByteCount: arriving.receivedByteCount,
        expectedByteCount: arriving.expectedByteCount
      ).line(
        byteRate: rate.withLock { $0.record(arriving.receivedByteCount, at: elapsed) },
        columns: StatusLine.columns)
    }
    return try await finally(loop.end, after: body)
  }
}
