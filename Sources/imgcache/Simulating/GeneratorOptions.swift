import ArgumentParser
import CacheSimulation

/// The traces that `--generate` makes.
enum GeneratedTrace: String, CaseIterable, ExpressibleByArgument {
  /// Image traffic of readers of a daily feed.
  case days
}

extension ImageDayGenerator.Mode: @retroactive ExpressibleByArgument {}
extension TraceFormat: @retroactive ExpressibleByArgument {}

/// The options of a generated trace.
struct GeneratorOptions: ParsableArguments {
  @Option(
    help: .value(
      "what",
      "Make a trace: 'days' is the image traffic of readers of a daily feed. Without --policy and --capacity it is written out."
    ))
  var generate: GeneratedTrace?

  @Option(help: "The same seed makes the same trace (default: 1).") var seed: UInt64?

  @Option(
    help:
      "'client': one reader, before any cache; 'edge': many, after each one's own cache of a week (default: client)."
  )
  var mode: ImageDayGenerator.Mode?

  @Option(help: .value("n", "Days (default: 365 for client, 30 for edge).")) var days: Int?
  @Option(help: .value("n", "Readers for edge (default: 600).")) var readers: Int?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: .value(
      "file",
      "Where a generated trace goes; '-' is stdout. With --policy or --capacity it is simulated as well."
    ))
  var output: String?

  mutating func validate() throws {
    if let days, !(1...10_000).contains(days) {
      throw ValidationError("--days is 1 through 10000")
    }
    if let readers, !(1...100_000).contains(readers) {
      throw ValidationError("--readers is 1 through 100000")
    }
    if generate == nil, seed != nil || mode != nil || days != nil || readers != nil || output != nil
    {
      throw ValidationError(
        "--seed, --mode, --days, --readers and --output are for a trace that is made; add --generate days"
      )
    }
    if readers != nil, mode != .edge { throw ValidationError("--readers is for --mode edge") }
  }

  var generator: ImageDayGenerator? {
    generate.map { _ in
      ImageDayGenerator(
        mode: mode ?? .client, seed: seed ?? 1, dayCount: days, readerCount: readers)
    }
  }
}
