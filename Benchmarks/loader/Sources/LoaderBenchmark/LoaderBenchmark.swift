import Foundation
import ImagePipeline
import Synchronization

/// What a pipeline costs beside the work itself.
///
///     LoaderBenchmark coalesce [REQUESTS] [ROUNDS]     equal requests, against as many bare tasks
///     LoaderBenchmark hit [ROUNDS]                     image(for:) on a picture in memory, against the tier alone
///     LoaderBenchmark fetch URLS_FILE PARALLEL         data(for:) with the caches off
@main
struct LoaderBenchmark {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    func number(_ index: Int, _ standard: Int) -> Int {
      arguments.count > index ? Int(arguments[index]) ?? standard : standard
    }
    switch arguments.first {
    case "coalesce": try await Coalescing.run(requests: number(1, 5000), rounds: number(2, 15))
    case "hit": try await MemoryHit.run(rounds: number(1, 15))
    case "fetch" where arguments.count == 3:
      try await Fetching.run(urlsFile: arguments[1], parallel: number(2, 16))
    default:
      print(
        "usage: LoaderBenchmark coalesce [REQUESTS] [ROUNDS] | hit [ROUNDS] | fetch URLS_FILE PARALLEL"
      )
      exit(64)
    }
  }

  /// A small picture.
  static func photo() throws -> [UInt8] {
    let size = PixelSize(width: 64, height: 48)
    let bytes = (0..<4 * size.pixelCount).map {
      UInt8(truncatingIfNeeded: $0 &* 7) | ($0 & 3 == 3 ? 255 : 0)
    }
    return try ImageCodecs.encodeJPEG(PixelBuffer(size: size, bytes: bytes), quality: 85)
  }

  /// `median (least to most)`, each by `unit`.
  static func words(_ times: [Duration], by unit: Duration) -> String {
    let sorted = times.sorted().map { String(format: "%.3f", $0 / unit) }
    return "\(sorted[sorted.count / 2]) (\(sorted[0]) to \(sorted[sorted.count - 1]))"
  }

  static func median(_ times: [Duration]) -> Duration { times.sorted()[times.count / 2] }
}

/// Many equal requests at once: from the first call to the last answer.
enum Coalescing {
  /// Answers when all have asked.
  private final class PatientFetcher: DataFetching {
    let photo: [UInt8]
    let wanted: Int
    let calls = Atomic(0)
    private let asked = Atomic(0)
    private let all: AsyncStream<Void>
    private let done: AsyncStream<Void>.Continuation

    init(_ photo: [UInt8], wanted: Int) {
      self.photo = photo
      self.wanted = wanted
      (all, done) = AsyncStream<Void>.makeStream()
    }

    func note() {
      if asked.add(1, ordering: .relaxed).newValue == wanted { done.finish() }
    }

    func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
      calls.add(1, ordering: .relaxed)
      for await _ in all {}
      return FetchedResponse(
        head: ResponseHead(url: request.url, status: 200), body: .bytes(photo))
    }
  }

  static func run(requests: Int, rounds: Int) async throws {
    let photo = try LoaderBenchmark.photo()
    var ours: [Duration] = []
    var bare: [Duration] = []
    for round in 0..<rounds {
      let fetcher = PatientFetcher(photo, wanted: requests)
      let pipeline = try ImagePipeline(ImagePipeline.Configuration(fetcher: fetcher))
      let request = ImageRequest(url: "http://bench.invalid/\(round).jpg")
      var start = ContinuousClock.now
      // Tasks of their own: a group with thousands of children spends more time on its list of them.
      let tasks = (0..<requests).map { _ in
        Task {
          fetcher.note()
          return try await pipeline.image(for: request).image.width
        }
      }
      var answers = 0
      for task in tasks { answers += try await task.value == 64 ? 1 : 0 }
      ours.append(ContinuousClock.now - start)
      precondition(answers == requests)
      // A caller that is between its count and its join may start a second load; it is told.
      if fetcher.calls.load(ordering: .relaxed) > 1 { print("round \(round): several fetches") }
      await pipeline.close()

      start = ContinuousClock.now
      let bareTasks = (0..<requests).map { index in Task { index & 1 } }
      var sum = 0
      for task in bareTasks { sum += await task.value }
      precondition(sum == requests / 2)
      bare.append(ContinuousClock.now - start)
    }
    print("\(requests) equal requests: \(LoaderBenchmark.words(ours, by: .milliseconds(1))) ms")
    print("\(requests) bare tasks:     \(LoaderBenchmark.words(bare, by: .milliseconds(1))) ms")
  }
}

/// A picture that is in memory, asked for again and again.
enum MemoryHit {
  private final class OneFetcher: DataFetching {
    let photo: [UInt8]
    init(_ photo: [UInt8]) { self.photo = photo }
    func fetch(_ request: FetchRequest) async throws -> FetchedResponse {
      var head = ResponseHead(url: request.url, status: 200)
      head.fields[.cacheControl] = "max-age=3600"
      return FetchedResponse(
        head: head, body: .bytes(photo), requestTime: Date(), responseTime: Date())
    }
  }

  static func run(rounds: Int) async throws {
    var configuration = ImagePipeline.Configuration(
      fetcher: OneFetcher(try LoaderBenchmark.photo()))
    let memory = MemoryCache<DecodedPicture>()
    configuration.memory = memory
    let pipeline = try ImagePipeline(configuration)
    let request = ImageRequest(
      url: "https://pic1.zhimg.com/v2-0123456789abcdef0123456789abcdef_720w.jpg")
    _ = try await pipeline.image(for: request)
    var small = request
    small.thumbnail = ThumbnailRecipe(size: PixelSize(width: 32, height: 32))
    small.processors = [RoundCorners(.pixels(4))]
    _ = try await pipeline.image(for: small)

    let count = 200_000
    for (name, asked) in [("plain", request), ("thumbnail and processor", small)] {
      var times: [Duration] = []
      for _ in 0..<rounds {
        let start = ContinuousClock.now
        var hits = 0
        for _ in 0..<count {
          if try await pipeline.image(for: asked).source == .memory { hits += 1 }
        }
        times.append((ContinuousClock.now - start) / count)
        precondition(hits == count)
      }
      print("image(for:), \(name): \(LoaderBenchmark.words(times, by: .nanoseconds(1))) ns a hit")
    }
    await pipeline.close()
  }
}

/// Every URL of a file through `data(for:)`, nothing kept and nothing checked but the length.
enum Fetching {
  static func run(urlsFile: String, parallel: Int) async throws {
    let urls = try String(contentsOfFile: urlsFile, encoding: .utf8)
      .split(separator: "\n").map(String.init)
    var fetching = HTTPFetcher.Configuration()
    fetching.hostGuard.allowsPrivateNetworks = true
    let fetcher = try HTTPFetcher(fetching)
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.maximumFetches = parallel
    configuration.maximumFetchesPerHost = parallel
    let pipeline = try ImagePipeline(configuration)

    let start = ContinuousClock.now
    let byteCount = try await pipeline.onOwnThreads {
      try await withThrowingTaskGroup(of: Int.self) { group in
        for lane in 0..<parallel {
          group.addTask {
            var byteCount = 0
            for index in stride(from: lane, to: urls.count, by: parallel) {
              var request = ImageRequest(url: urls[index])
              request.check = .none
              byteCount += try await pipeline.data(for: request).byteCount
            }
            return byteCount
          }
        }
        return try await group.reduce(0, +)
      }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("files \(urls.count) bytes \(byteCount) seconds \(seconds)")
    await pipeline.close()
    fetcher.stop()
  }
}
