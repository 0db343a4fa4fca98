import ImagePipeline
import Synchronization

extension Session {
  /// Runs `body`, which loads one image, with the bytes that arrive in a line at the bottom of the
  /// terminal, unless options forbid it.
  func whileShowingProgress<Result: Sendable>(
    _ common: CommonOptions, _ body: () async throws -> Result
  ) async throws -> Result {
    guard common.showsProgress else { return try await body() }
    let (loop, progress) = (StatusLoop(), LoadProgress(pipeline))
    loop.start { elapsed, _ in progress.line(after: elapsed) }
    do {
      let result = try await body()
      await loop.end()
      return result
    } catch {
      await loop.end()
      throw error
    }
  }
}

/// The progress of what a pipeline loads, as one line.
private final class LoadProgress: Sendable {
  private let pipeline: ImagePipeline
  private let rate = Mutex(RecentRate())

  init(_ pipeline: ImagePipeline) { self.pipeline = pipeline }

  /// Returns an empty text while nothing arrives.
  func line(after elapsed: Duration) -> String {
    guard let body = pipeline.arrivingBodies.first, body.receivedByteCount > 0 else { return "" }
    let byteRate = rate.withLock { $0.note(body.receivedByteCount, at: elapsed) }
    return BodyProgress(
      receivedByteCount: body.receivedByteCount, expectedByteCount: body.expectedByteCount
    ).line(byteRate: byteRate, columns: StatusLine.columns)
  }
}
