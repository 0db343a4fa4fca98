import ArgumentParser
import FoundationEssentials
import ImagePipeline
import ThumbnailServer

/// How much work `serve` takes on, and how long it waits for whom.
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

  @Option(
    name: .customLong("max-connections"),
    help: ArgumentHelp("Connections at once; further ones get 503 and are ended.", valueName: "n"))
  var maximumConnections = 4096

  @Option(
    name: .customLong("head-time"),
    help: ArgumentHelp("How long the head of a request may take to come.", valueName: "duration"))
  var headTime = TimeQuantity(.seconds(10))

  @Option(
    name: .customLong("idle-time"),
    help: ArgumentHelp("How long a connection may stand idle.", valueName: "duration"))
  var idleTime = TimeQuantity(.seconds(75))

  @Option(
    name: .customLong("write-time"),
    help: ArgumentHelp("How long a client may take nothing of its answer.", valueName: "duration"))
  var writeTime = TimeQuantity(.seconds(30))

  @Option(
    name: .customLong("drain-time"),
    help: ArgumentHelp(
      "How long requests and refreshes under way may take after SIGTERM.", valueName: "duration"))
  var drainTime = TimeQuantity(.seconds(30))

  func validate() throws {
    guard (1...1024).contains(decodes), (0...1_000_000).contains(maximumQueue),
      (1...1_000_000).contains(maximumConnections), maximumPixels > 0
    else {
      throw ValidationError(
        "--max-concurrency is 1 to 1024, --max-connections 1 to 1000000, --max-queue at most 1000000"
      )
    }
    guard EvictionPolicyName(memoryEviction) != nil else {
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

  /// What one client may take.
  var connectionLimits: ConnectionLimits {
    var limits = ConnectionLimits()
    limits.maximumConnections = maximumConnections
    limits.headTime = headTime.duration
    limits.idleTime = idleTime.duration
    limits.writeTime = writeTime.duration
    return limits
  }
}
