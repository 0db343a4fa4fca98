import ArgumentParser
import CacheSimulation

/// What `--generate` can make.
enum GeneratedTrace: String, CaseIterable, ExpressibleByArgument {
  /// Image traffic of readers of a daily feed.
  case days
}

extension ImageDayGenerator.Mode: ExpressibleByArgument {}

/// A trace that is made instead of read.
struct GeneratorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Make a trace: 'days' is the image traffic of readers of a daily feed. Without --policy and --capacity it is written out.",
      valueName: "what"))
  var generate: GeneratedTrace?

  @Option(help: "The same seed makes the same trace.")
  var seed: UInt64 = 1

  @Option(
    help:
      "'client': one reader, before any cache; 'edge': many, after each one's own cache of a week.")
  var mode = ImageDayGenerator.Mode.client

  @Option(help: ArgumentHelp("Days (default: 365 for client, 30 for edge).", valueName: "n"))
  var days: Int?

  @Option(help: ArgumentHelp("Readers for edge (default: 600).", valueName: "n"))
  var readers: Int?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: ArgumentHelp("Where a generated trace goes; '-' is stdout.", valueName: "file"))
  var output: String?

  mutating func validate() throws {
    if let days, !(1...10_000).contains(days) {
      throw ValidationError("--days is 1 through 10000")
    }
    if let readers, !(1...100_000).contains(readers) {
      throw ValidationError("--readers is 1 through 100000")
    }
  }

  var generator: ImageDayGenerator? {
    generate.map { _ in
      ImageDayGenerator(mode: mode, seed: seed, dayCount: days, readerCount: readers)
    }
  }
}
