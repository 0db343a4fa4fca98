import ArgumentParser
import ImageFeeds
import ImagePipeline

/// `imgcache prefetch`: all images of a day, or of several, to disk.
struct PrefetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prefetch",
    abstract: "Fetches all images of a day and keeps them.",
    discussion: """
      imgcache prefetch                            the latest day
      imgcache prefetch 20200101...20200131        a month
      imgcache prefetch --feed https://example.org/feed.xml
      imgcache prefetch --sample --export out      no network: the embedded sample

      A day is the union of its feeds. Items of a feed are filed under their own day, undated ones under the day they
      were first seen; latest fetches all of them.

      Exit status: 0 everything is kept, 1 something could not be had (the rest is kept),
      2 the cache or the disk failed.
      """)

  @OptionGroup var options: PrefetchOptions

  mutating func run() async throws {
    let options = options
    let status = try await Interruption.whileHandled {
      let session = try Session(
        cache: options.cache, network: options.network, feeds: .named(options.feed.sources),
        common: options.common)
      return try await session.whileOpen {
        try await session.pipeline.onOwnThreads {
          try await PrefetchRun(options.plan, session: session).run()
        }
      }
    }
    throw ExitCode(status)
  }
}
