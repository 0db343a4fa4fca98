import Foundation
import ImageFetching
import ImagePipeline

/// Fetches every URL of a file, this many at a time, and prints the time; `fetch/run` compares it
/// with others.
///
///     FetchDriver fetcher URLS_FILE PARALLEL     through HTTPFetcher
///     FetchDriver pipeline URLS_FILE PARALLEL    through data(for:), without caches, checking only the length
@main
struct FetchDriver {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 4, let parallel = Int(arguments[3]) else { misuse() }
    let urls = try String(contentsOfFile: arguments[2], encoding: .utf8)
      .split(separator: "\n").map(String.init)
    var fetching = HTTPFetcher.Configuration()
    fetching.hostGuard.allowsPrivateNetworks = true
    let fetcher = try HTTPFetcher(fetching)

    let start = ContinuousClock.now
    let byteCount: Int
    switch arguments[1] {
    case "fetcher":
      byteCount = try await all(urls, parallel) {
        try await fetcher.fetch(FetchRequest(url: $0)).body.byteCount
      }
    case "pipeline":
      var configuration = ImagePipeline.Configuration(fetcher: fetcher)
      configuration.maximumFetches = parallel
      configuration.maximumFetchesPerHost = parallel
      let pipeline = try ImagePipeline(configuration)
      byteCount = try await pipeline.onOwnThreads {
        try await all(urls, parallel) {
          var request = ImageRequest(url: $0)
          request.decoding.check = .none
          return try await pipeline.data(for: request).byteCount
        }
      }
      await pipeline.close()
    default: misuse()
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("files \(urls.count) bytes \(byteCount) seconds \(seconds)")
    fetcher.stop()
  }

  private static func all(
    _ urls: [String], _ parallel: Int, _ get: @escaping @Sendable (String) async throws -> Int
  ) async throws -> Int {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for lane in 0..<parallel {
        group.addTask {
          var byteCount = 0
          for index in stride(from: lane, to: urls.count, by: parallel) {
            byteCount += try await get(urls[index])
          }
          return byteCount
        }
      }
      return try await group.reduce(0, +)
    }
  }

  private static func misuse() -> Never {
    print("usage: FetchDriver fetcher|pipeline URLS_FILE PARALLEL")
    exit(64)
  }
}
