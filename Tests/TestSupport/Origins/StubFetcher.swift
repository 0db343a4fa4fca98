import Foundation
import HTTPTypes

@testable import ImageFetching
@testable import ImageModel

/// Answers fetches from memory as the test says, and records its requests.
final class StubFetcher: DataFetching {
  typealias Answer = @Sendable (FetchRequest) async throws -> FetchedResponse

  private let asked = Locked<[FetchRequest]>([])
  private let script: Locked<Script>
  private struct Script { var answer: Answer }

  init(_ answer: @escaping Answer) { script = Locked(Script(answer: answer)) }

  /// Always returns these bytes; a small JPEG by default.
  convenience init(returning bytes: [UInt8] = SampleImages.photo, fields: HTTPFields = [:]) {
    self.init { Self.response($0.url, bytes, fields: fields) }
  }

  /// Returns a small JPEG when the gate opens, and fails when it is cancelled before.
  convenience init(heldAt gate: Gate) {
    self.init { request in
      try await gate.waitUnlessCancelled()
      return Self.response(request.url, SampleImages.photo)
    }
  }

  var requests: [FetchRequest] { asked.withLock { $0 } }
  var count: Int { requests.count }

  /// Changes the answer from now on.
  func become(_ other: @escaping Answer) { script.withLock { $0.answer = other } }

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    asked.withLock { $0.append(request) }
    return try await script.withLock { $0.answer }(request)
  }

  static func response(
    _ url: String, _ bytes: [UInt8], status: Int = 200, fields: HTTPFields = [:],
    at date: Date = Date(timeIntervalSince1970: 1_592_300_000)
  ) -> FetchedResponse {
    FetchedResponse(
      head: ResponseHead(url: url, status: status, fields: fields), body: .bytes(bytes),
      requestCount: 1, receivedByteCount: bytes.count, requestTime: date, responseTime: date)
  }

  static func failure(_ status: Int, fields: HTTPFields = [:]) -> ImageError {
    FetchFailure.error(forStatus: status, fields: fields, url: "http://test.invalid/")
  }
}
