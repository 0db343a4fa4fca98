import ArgumentParser
import ImageFeeds

/// Where days come from.
struct FeedOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Base URL of the Zhihu Daily API; repeat it to name alternatives, tried in order (default: the public bases).",
      valueName: "url"))
  var api: [String] = []

  @Option(
    help: ArgumentHelp(
      "Instead of Zhihu Daily: RSS, Atom, JSON Feed or a plain list of image URLs ('-' reads stdin).",
      valueName: "url|file"))
  var feed: [String] = []

  @Flag(help: "Use the embedded sample days: real HTTP on loopback, no network.")
  var sample = false

  /// The feeds that these options name, or Zhihu Daily.
  var sources: [FeedSource] {
    if sample { return [.sample] }
    if feed.isEmpty { return [.zhihuDaily(bases: api)] }
    return feed.map { name in
      name == "-"
        ? .standardInput
        : name.hasPrefix("http://") || name.hasPrefix("https://") ? .url(name) : .file(name)
    }
  }

  /// The feeds that these options name; where they name none, those that days came from.
  var namedOrRemembered: DayArchive.Feeds {
    let sources = sources
    return sources == [.zhihuDaily] ? .remembered() : .named(sources)
  }

  func validate() throws {
    if sample, !api.isEmpty || !feed.isEmpty {
      throw ValidationError("--sample has its own feed: it cannot be combined with --api or --feed")
    }
    if !api.isEmpty, !feed.isEmpty {
      throw ValidationError("--feed replaces Zhihu Daily: it cannot be combined with --api")
    }
  }
}
