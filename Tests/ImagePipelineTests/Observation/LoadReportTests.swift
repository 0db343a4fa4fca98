import Foundation
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

  static func ending(
    _ source: LoadSource = .network, wasShared: Bool = false
  ) -> LoadReport.Ending {
    let response = ImageResponse(
      url: "http://test.invalid/a.jpg",
      decoded: DecodedImage(pixels: SampleImages.gradient(4, 2)), source: source,
      freshness: .current, steps: steps, elapsed: .milliseconds(13))
    return LoadReport.Ending(
      response, to: ImageRequest(url: "http://test.invalid/a.jpg"), wasShared: wasShared)
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
    let shared = SampleReport.ending(.disk, wasShared: true)
    let reports = [
      SampleReport.report(.success(SampleReport.ending())),
      SampleReport.report(.success(shared), steps: [], elapsed: .microseconds(49)),
      SampleReport.report(.failure(ImageError(.timedOut, "too late")), steps: []),
      SampleReport.report(.failure(CancellationError()), steps: []),
    ]
    let start = "#7 http://test.invalid/a.jpg: "

    #expect(
      reports.map(\.description) == [
        start + "network, current, 32 bytes, 12.3 ms [disk: absent (0.1 ms); fetch: 200 (12.0 ms)]",
        start + "disk, current, 32 bytes, joined others, 0.0 ms []",
        start + "failed (timeout): too late, 12.3 ms []", start + "cancelled, 12.3 ms []",
      ])
    #expect(reports.map(\.failure) == [nil, nil, .timedOut, nil])
    #expect(reports.map(\.wasCancelled) == [false, false, false, true])
    // An image in memory has joined nothing.
    #expect(shared.wasShared && !SampleReport.ending(.memory, wasShared: true).wasShared)
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
}
