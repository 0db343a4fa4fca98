import Foundation
import ImagePipeline
import LoadScheduling

// A job that a timer starts: keeps the images of a list of URLs, one a line, in a cache directory.
//
//     PrefetchJob urls.txt /var/cache/images
//
// SIGTERM ends it in order; the next run continues broken transfers. Exit status 1: some failed.
guard CommandLine.arguments.count == 3 else {
  print("usage: PrefetchJob FILE DIRECTORY")
  exit(64)
}
guard let list = try? String(contentsOfFile: CommandLine.arguments[1], encoding: .utf8) else {
  print("error: cannot read \(CommandLine.arguments[1])")
  exit(1)
}
let urls = list.split(separator: "\n").map(String.init)
var fetching = HTTPFetcher.Configuration()
fetching.hostGuard.allowsPrivateNetworks = true  // the list is our own
var configuration = try ImagePipeline.Configuration.client(
  directory: CommandLine.arguments[2], fetching: fetching)
configuration.maximumFetchRate = RequestRate(perSecond: 20)
let pipeline = try ImagePipeline(configuration)

let prefetcher = ImagePrefetcher(pipeline, maximumInFlight: 6)
var wasStopped = false
signal(SIGTERM, SIG_IGN)
let onSignal = DispatchSource.makeSignalSource(signal: SIGTERM)
onSignal.setEventHandler { prefetcher.stop() }
onSignal.resume()

var loaded = 0
var kept = 0
var failed = 0
do {
  try await prefetcher.load(urls.map { ImageRequest(url: $0) }) { request, outcome in
    switch outcome {
    case .loaded: loaded += 1
    case .skipped, .duplicate: kept += 1
    case .notKept(let reason):
      failed += 1
      print("\(request.url): not kept: \(reason)")
    case .failed(let error):
      failed += 1
      print("\(error.code): \(error)")
    }
  }
} catch is CancellationError {
  wasStopped = true
  print("interrupted; run again to continue")
}
print("\(loaded) loaded, \(kept) already there, \(failed) failed")
await pipeline.close()
exit(failed == 0 && !wasStopped ? 0 : 1)
