import ArgumentParser
import ImageFeeds
import ImageModel

struct FeedOptions: ParsableArguments {
  @Option(
    help: .value(
      "url", "Base URL of the Zhihu Daily API (default: the public bases).",
      "Repeat the option for alternatives, which are tried in order."))
  var api: [String] = []

  @Option(
    help: .value(
      "url|file", "Use a feed instead of Zhihu Daily, asked for at each run.",
      "RSS, Atom, JSON Feed, OPML, a page that names its feed, or a plain list of image URLs; '-' reads stdin. Repeat the option for more."
    ), completion: .file())
  var feed: [String] = []

  @Flag(
    help: .text(
      "Use the embedded sample days.", "They are fetched by HTTP on loopback, without the network.")
  ) var sample = false

  @Option(
    help: .rare(
      "zone", "The time zone of the days of feeds (default: that of the machine).",
      "A name of tzdata, such as Europe/Berlin. What is filed stays in its day; days of Zhihu Daily are those of UTC+8."
    ), transform: TimeZoneName.parse)
  var timeZone: TimeZoneName?

  var sources: [FeedSource] {
    if sample { return [.sample] }
    if feed.isEmpty { return [.zhihuDaily(bases: api)] }
    return feed.map { name in
      name == "-" ? .standardInput : Self.isURL(name) ? .url(name) : .file(name)
    }
  }

  private static func isURL(_ name: String) -> Bool {
    ["http://", "https://"].contains { name.prefix($0.count).lowercased() == $0 }
  }

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
    for name in feed where !Self.isURL(name) && name.contains(#/^[A-Za-z][A-Za-z0-9+.\-]*:\/\//#) {
      throw ValidationError(
        "--feed takes an http or https URL or a file, and \(name.debugDescription) has another scheme"
      )
    }
    // Here, and not only where they are used: a cache that cannot be opened does not hide misuse.
    for source in sources {
      do throws(ImageError) { try source.check() } catch { throw ValidationError(error.message) }
    }
  }
}
