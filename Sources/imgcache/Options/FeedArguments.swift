import ArgumentParser

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where days come from.
struct FeedArguments: ParsableArguments {
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

  /// The feeds that these options name.
  var choice: FeedChoice {
    var choice = FeedChoice()
    choice.api = api
    // Kept with the days: a file is to be found again from any other folder.
    choice.feed = feed.map { path in
      path == "-" || FeedArgument.isURL(path) || path.hasPrefix("/")
        ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
    choice.sample = sample
    return choice
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
