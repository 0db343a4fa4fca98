import Foundation
import HTTPTypes

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline

/// Answers fetches from memory as the test says, and records its requests.
final class StubFetcher: DataFetching {
  typealias Answer = @Sendable (FetchRequest) async throws -> FetchedResponse

  private let asked = Locked<[FetchRequest]>([])
  private let answer: Locked<Answer>

  init(_ answer: @escaping Answer) { self.answer = Locked(answer) }

  /// Always returns these bytes.
  convenience init(returning bytes: [UInt8], fields: HTTPFields = [:]) {
    self.init { Self.response($0.url, bytes, fields: fields) }
  }

  var requests: [FetchRequest] { asked.withLock { $0 } }
  var count: Int { requests.count }

  /// Changes the answer from now on.
  func become(_ other: @escaping Answer) { answer.withLock { $0 = other } }

  func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
    asked.withLock { $0.append(request) }
    let answer = answer.withLock { $0 }
    return try await answer(request)
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

/// A pipeline around a stub, with a manual clock.
struct PipelineFixture {
  let fetcher: StubFetcher
  let clock = ManualClock()
  let memory = MemoryCache<DecodedImage>()
  let cache: DiskCache?
  let pipeline: ImagePipeline

  init(
    _ fetcher: StubFetcher, in scratch: Scratch? = nil,
    _ change: (inout ImagePipeline.Configuration) -> Void = { _ in }
  ) throws {
    self.fetcher = fetcher
    let clock = clock
    cache = try scratch.map { scratch in
      var configuration = DiskCache.Configuration(directory: scratch / "cache")
      configuration.clock = { clock.now }
      return try DiskCache(configuration)
    }
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.memory = memory
    configuration.diskCache = cache
    configuration.clock = { clock.now }
    change(&configuration)
    pipeline = try ImagePipeline(configuration)
  }
}

/// Counts its work, and may be held at a gate.
final class CountingStep: ImageProcessing {
  let name: String
  private let counted = Locked(0)
  private let failure: ImageError?

  init(_ name: String, failingWith failure: ImageError? = nil) {
    self.name = name
    self.failure = failure
  }

  var count: Int { counted.withLock { $0 } }
  var identity: String { "counting(\(name))" }

  func process(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    counted.withLock { $0 += 1 }
    if let failure { throw failure }
    return picture
  }
}

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

extension SampleImages {
  /// A small JPEG.
  static let photo: [UInt8] =
    (try? ImageCodecs.encodeJPEG(gradient(64, 48), quality: 90)) ?? []
  /// A progressive JPEG.
  static let progressivePhoto: [UInt8] = {
    var options = JPEGEncodingOptions(quality: 90)
    options.isProgressive = true
    return (try? ImageCodecs.encodeJPEG(gradient(320, 200), options: options)) ?? []
  }()
}
