import Foundation
import ImagePipeline

/// Fetches every URL of a file, so many at a time, with the library's fetcher, and prints what it cost.
///
///     FetchBenchmark URLS_FILE PARALLEL
@main
struct FetchBenchmark {
  static func main() async throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3, let parallel = Int(arguments[2]) else {
      print("usage: FetchBenchmark URLS_FILE PARALLEL")
      exit(64)
    }
    let urls = try String(contentsOfFile: arguments[1], encoding: .utf8)
      .split(separator: "\n").map(String.init)
    var configuration = HTTPFetcher.Configuration()
    configuration.hostGuard.allowsPrivateNetworks = true
    let fetcher = try HTTPFetcher(configuration)

    let start = ContinuousClock.now
    let byteCount = try await withThrowingTaskGroup(of: Int.self) { group in
      for lane in 0..<parallel {
        group.addTask {
          var byteCount = 0
          for index in stride(from: lane, to: urls.count, by: parallel) {
            byteCount += try await fetcher.fetch(FetchRequest(url: urls[index])).body.byteCount
          }
          return byteCount
        }
      }
      var sum = 0
      for try await byteCount in group { sum += byteCount }
      return sum
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("files \(urls.count) bytes \(byteCount) seconds \(seconds)")
    fetcher.stop()
  }
}
