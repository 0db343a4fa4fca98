import Foundation
import ImagePipeline
import Tracing

/// Loads a thumbnail twice and writes the spans to a file:
///
///     swift run LoadTracing https://example.org/a.jpg spans.jsonl
@main enum Example {
  static func main() async {
    guard CommandLine.arguments.count == 3 else {
      print("usage: LoadTracing URL FILE")
      exit(64)
    }
    do {
      try await load(CommandLine.arguments[1], tracingTo: CommandLine.arguments[2])
    } catch {
      print("error: \(error)")
      exit(1)
    }
  }

  private static func load(_ url: String, tracingTo file: String) async throws {
    // Before the first pipeline is configured. For another exporter, such as swift-otel, bootstrap
    // that one here; nothing else changes.
    let tracer = try OTLPFileTracer(path: file, service: "tracing-example")
    InstrumentationSystem.bootstrap(tracer)

    let cache = FileManager.default.temporaryDirectory.appending(path: "tracing-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: cache) }
    var fetching = HTTPFetcher.Configuration()
    // What is named on the command line may be on this machine.
    fetching.hostGuard = HostGuard(exempting: [url])
    let pipeline = try ImagePipeline(directory: cache, fetching: fetching)
    var request = ImageRequest(url: url)
    request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 200, height: 200), fit: .cover)

    // A span of the program's own: those of the pipeline are below it.
    try await withSpan("example") { _ in
      for _ in 1...2 {
        let response = try await pipeline.data(for: request)
        print("\(response.byteCount) bytes from \(response.source)")
      }
    }
    await pipeline.close()
    tracer.forceFlush()
  }
}
