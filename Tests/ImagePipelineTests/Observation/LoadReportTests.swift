import Foundation
import Logging
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

/// Reports as a pipeline makes them.
private enum SampleReport {
  static let steps = [
    LoadStep(.disk, "absent", elapsed: .microseconds(140)),
    LoadStep(.fetch, "200", elapsed: .milliseconds(12)),
  ]

  static func response(_ source: LoadSource) -> ImageResponse {
    ImageResponse(
      url: "http://test.invalid/a.jpg",
      decoded: DecodedImage(pixels: SampleImages.gradient(4, 2)), source: source,
      freshness: .current, steps: steps, elapsed: .milliseconds(13))
  }

  static func ending(
    _ source: LoadSource = .network, wasShared: Bool = false
  ) -> LoadReport.Ending {
    LoadReport.Ending(
      response(source), to: ImageRequest(url: "http://test.invalid/a.jpg"), wasShared: wasShared)
  }

  static func report(
    _ result: Result<LoadReport.Ending, any Error>, steps: [LoadStep] = steps,
    elapsed: Duration = .microseconds(12_345)
  ) -> LoadReport {
    LoadReport(
      id: 7, request: ImageRequest(url: "http://test.invalid/a.jpg"), isDocument: false,
      steps: steps, elapsed: elapsed, result: result)
  }
}

@Suite struct `The report of a load` {
  @Test func `is a line of the URL, the end, the time and the stages`() {
    let report = SampleReport.report(.success(SampleReport.ending()))

    #expect(
      report.description == """
        #7 http://test.invalid/a.jpg: network, current, 32 bytes, 12.3 ms \
        [disk: absent (0.1 ms); fetch: 200 (12.0 ms)]
        """)
    #expect(report.failure == nil)
    #expect(!report.wasCancelled)
  }

  @Test func `says that a load has joined others, and that it had no stages`() {
    let report = SampleReport.report(
      .success(SampleReport.ending(.disk, wasShared: true)), steps: [],
      elapsed: .microseconds(49))

    #expect(
      report.description
        == "#7 http://test.invalid/a.jpg: disk, current, 32 bytes, joined others, 0.0 ms []")
  }

  @Test func `never says of an image in memory that it joined others`() {
    #expect(!SampleReport.ending(.memory, wasShared: true).wasShared)
    #expect(SampleReport.ending(.disk, wasShared: true).wasShared)
  }

  @Test func `has the code and the message of a failure`() {
    let report = SampleReport.report(.failure(ImageError(.timedOut, "too late")), steps: [])

    #expect(
      report.description
        == "#7 http://test.invalid/a.jpg: failed (timeout): too late, 12.3 ms []")
    #expect(report.failure == .timedOut)
    #expect(!report.wasCancelled)
  }

  @Test func `of a cancelled load has no failure`() {
    let report = SampleReport.report(.failure(CancellationError()), steps: [])

    #expect(report.description == "#7 http://test.invalid/a.jpg: cancelled, 12.3 ms []")
    #expect(report.failure == nil)
    #expect(report.wasCancelled)
  }

  @Test func `names what was made of the original`() {
    var request = ImageRequest(url: "http://test.invalid/a.jpg")
    request.processors = [Orient(6)]

    let ending = LoadReport.Ending(SampleReport.response(.network), to: request)

    #expect(ending.variant == "full|chain(9:orient(6))")
    #expect(SampleReport.ending().variant == "full")
  }
}

@Suite struct `The stages of a response` {
  @Test func `of one kind take the sum of their times`() {
    let response = ImageResponse(
      url: "", decoded: DecodedImage(pixels: SampleImages.gradient(1, 1)), source: .network,
      freshness: .current,
      steps: [
        LoadStep(.process, "a", elapsed: .milliseconds(2)),
        LoadStep(.decode, "", elapsed: .milliseconds(5)),
        LoadStep(.process, "b", elapsed: .milliseconds(3)),
      ], elapsed: .milliseconds(20))

    #expect(response.elapsed(in: .process) == .milliseconds(5))
    #expect(response.elapsed(in: .decode) == .milliseconds(5))
  }

  @Test func `that were not entered have no time`() {
    #expect(SampleReport.response(.network).elapsed(in: .encode) == nil)
  }
}

@Suite struct `The log of loads` {
  /// Writes a report, and returns what the log received.
  private func metadata(of report: LoadReport) -> (Logger.Level?, [String: String]) {
    let kept = Locked<(level: Logger.Level?, metadata: [String: String])>((nil, [:]))
    let logger = Logger(label: "test") { _ in
      MetadataLog { level, metadata in
        kept.withLock { $0 = (level, metadata.mapValues { "\($0)" }) }
      }
    }
    LogObserver(logger).requestFinished(report)
    return kept.withLock { ($0.level, $0.metadata) }
  }

  @Test func `has the facts of a success as metadata`() {
    let (level, metadata) = metadata(of: SampleReport.report(.success(SampleReport.ending())))

    #expect(level == .debug)
    #expect(
      metadata == [
        "request": "7", "url": "http://test.invalid/a.jpg", "ms": "12.0", "source": "network",
        "freshness": "current", "bytes": "32",
      ])
  }

  @Test func `has the code of a failure as metadata`() {
    let report = SampleReport.report(.failure(ImageError(.timedOut, "too late")))

    let (level, metadata) = metadata(of: report)

    #expect(level == .notice)
    #expect(
      metadata == [
        "request": "7", "url": "http://test.invalid/a.jpg", "ms": "12.0", "error": "timeout",
      ])
  }

  @Test func `has a cancellation at debug level, as it is no failure`() {
    let (level, metadata) = metadata(of: SampleReport.report(.failure(CancellationError())))

    #expect(level == .debug)
    #expect(metadata["error"] == "cancelled")
  }
}

/// Hands on the level and the metadata of every line.
private struct MetadataLog: LogHandler {
  let keep: @Sendable (Logger.Level, Logger.Metadata) -> Void
  var metadata: Logger.Metadata = [:]
  var logLevel = Logger.Level.trace

  init(keep: @escaping @Sendable (Logger.Level, Logger.Metadata) -> Void) {
    self.keep = keep
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) { keep(event.level, event.metadata ?? [:]) }
}
