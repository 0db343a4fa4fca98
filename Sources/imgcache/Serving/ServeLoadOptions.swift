import ArgumentParser
import CachePolicies
import ImageModel
import LoadScheduling
import ThumbnailServer

struct ServeLoadOptions: ParsableArguments {
  @Option(help: .value("n", "Decodes at once (default: one a processor, at least 2)."))
  var maxConcurrency: Int?

  @Option(
    help: .value("n", "How many fetches, and how many decodes, may wait.", "Further ones get 503."))
  var maxQueue = 256

  @Option(help: .value("duration", "How long they may wait."))
  var queueTime = TimeQuantity(.seconds(5))

  @Option(
    help: .value(
      "bytes", "Bytes in transfer, from origins and to clients.",
      "Beyond that, new requests get 503."))
  var maxInFlight = ByteQuantity(256 << 20)

  @Option(help: .value("bytes", "Bytes of responses kept in memory."))
  var memory = ByteQuantity(64 << 20)

  @Option(
    help: .value(
      "policy",
      "The policy of the memory cache (default: gdsf-tb, or bytes where --eviction is bytes).",
      "gdsf-tb:EXPONENT and lhd-tb:EXPONENT set the power of the size."))
  var memoryEviction: EvictionPolicy?

  @Option(help: .value("n", "Pixels of an original.")) var maxPixels = 50_000_000

  func validate() throws {
    try require(
      (1...1024).contains(decodes) && (0...1_000_000).contains(maxQueue) && maxPixels > 0,
      "--max-concurrency is 1 to 1024, --max-queue at most 1000000")
  }

  var decodes: Int { maxConcurrency ?? max(2, Processors.usableCount) }

  var waiting: WaitLimits {
    var waiting = WaitLimits()
    waiting.maximumCount = maxQueue
    waiting.maximumTime = queueTime.duration
    return waiting
  }
}
