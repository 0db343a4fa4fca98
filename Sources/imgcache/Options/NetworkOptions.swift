import ArgumentParser
import ImagePipeline

/// How much the network may be used, and how hard it is tried.
struct NetworkOptions: ParsableArguments {
  @Option(help: "Images in flight in all.")
  var concurrency = 6

  @Option(name: .customLong("per-host"), help: "Images in flight to one host.")
  var perHost = 6

  @Option(
    help: ArgumentHelp(
      "How often a failed transfer is tried again: timeouts, resets, short bodies, 408, 429, 5xx (default: 3; in serve 1).",
      valueName: "n"))
  var retries: Int?

  @Option(
    name: .customLong("limit-rate"),
    help: ArgumentHelp(
      "Bytes a second for all transfers together (default: none).", valueName: "bytes"))
  var limitRate: ByteQuantity?

  @Option(
    help: ArgumentHelp(
      "Give up a transfer that brings less than 1 KiB in this time, in seconds or with a unit: 500ms, 2m (default: 30 s; in serve 10 s).",
      valueName: "duration"), transform: TimeQuantity.positive)
  var timeout: TimeQuantity?

  @Option(
    name: .customLong("max-time"),
    help: ArgumentHelp(
      "Give up a transfer after this time in all (default: 5 min; in serve 30 s).",
      valueName: "duration"), transform: TimeQuantity.positive)
  var maximumTime: TimeQuantity?

  @Option(
    name: .customLong("max-bytes"),
    help: ArgumentHelp("Refuse bodies larger than this.", valueName: "bytes"))
  var maximumBytes = ByteQuantity(64 << 20)

  @Flag(help: "Ask the origin even for fresh entries.")
  var revalidate = false

  @Flag(help: "Never ask the origin.")
  var offline = false

  @Flag(
    name: .customLong("allow-private-network"),
    help: "Let redirects and image URLs lead to loopback, link-local and private addresses.")
  var allowPrivateNetwork = false

  @Option(
    name: .customLong("user-agent"),
    help: ArgumentHelp("The User-Agent sent (default: names this program).", valueName: "text"))
  var userAgent: String?

  @Option(help: ArgumentHelp("The proxy to use; none from the environment is.", valueName: "url"))
  var proxy: String?

  func validate() throws {
    guard (1...1000).contains(concurrency), (1...1000).contains(perHost) else {
      throw ValidationError("--concurrency and --per-host are between 1 and 1000")
    }
    guard (0...100).contains(retries ?? 0) else {
      throw ValidationError("--retries is between 0 and 100")
    }
    guard maximumBytes.count > 0, limitRate.map({ $0.count > 0 }) ?? true else {
      throw ValidationError("--max-bytes and --limit-rate are positive")
    }
    guard !(revalidate && offline) else {
      throw ValidationError(
        "--revalidate asks the origin and --offline never does: give one of them")
    }
  }
}
