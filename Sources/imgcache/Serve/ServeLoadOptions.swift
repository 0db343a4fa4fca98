import ArgumentParser
import ImagePipeline
import ThumbnailServer

/// How much work `serve` takes on.
struct ServeLoadOptions: ParsableArguments {
  @Option(
    name: .customLong("max-concurrency"),
    help: ArgumentHelp("Decodes at once (default: one a processor, at least 2).", valueName: "n"))
  var maximumConcurrency: Int?

  @Option(
    name: .customLong("max-queue"),
    help: ArgumentHelp(
      "Fetches, and decodes, that may wait for a place; further ones get 503.", valueName: "n"))
  var maximumQueue = 256

  @Option(
    name: .customLong("queue-time"),
    help: ArgumentHelp("How long they may wait.", valueName: "duration"))
  var queueTime = TimeQuantity(.seconds(5))

  @Option(
    name: .customLong("max-in-flight"),
    help: ArgumentHelp(
      "Bytes on their way, from origins and to clients, beyond which new requests get 503.",
      valueName: "bytes"))
  var maximumInFlight = ByteQuantity(256 << 20)

  @Option(
    name: .customLong("memory"),
    help: ArgumentHelp("Bytes of ready answers kept in memory.", valueName: "bytes"))
  var memory = ByteQuantity(64 << 20)

  @Option(
    name: .customLong("memory-eviction"),
    help: ArgumentHelp(
      "Whom the memory lets go: lru, sieve, s3-fifo, arc, slru, w-tinylfu, gdsf, gdsf-tb[:EXPONENT] or lhd-tb[:EXPONENT].",
      valueName: "policy"))
  var memoryEviction = "gdsf-tb"

  @Option(
    name: .customLong("max-pixels"),
    help: ArgumentHelp("Pixels of an original.", valueName: "n"))
  var maximumPixels = 50_000_000

  func validate() throws {
    guard (1...1024).contains(decodes), (0...1_000_000).contains(maximumQueue), maximumPixels > 0
    else {
      throw ValidationError("--max-concurrency is 1 to 1024, --max-queue at most 1000000")
    }
    guard EvictionPolicy(memoryEviction) != nil else {
      throw ValidationError("--memory-eviction knows no policy '\(memoryEviction)'")
    }
  }

  /// Decodes at once.
  var decodes: Int { maximumConcurrency ?? max(2, Processors.usableCount) }

  /// How many may wait, and for how long.
  var waiting: WaitLimits {
    var waiting = WaitLimits()
    waiting.maximumCount = maximumQueue
    waiting.maximumTime = queueTime.duration
    return waiting
  }
}
