public import ArgumentParser
import CacheSimulation

enum GeneratedTrace: String, CaseIterable, ExpressibleByArgument {
  /// Image traffic of readers of a daily feed.
  case days
}

extension ImageDayGenerator.Mode: @retroactive ExpressibleByArgument {}
extension TraceFormat: @retroactive ExpressibleByArgument {}

struct GeneratorOptions: ParsableArguments {
  @Option(
    help: .value(
      "what", "Make a trace of this kind.",
      "It is the image traffic of readers of a daily feed, and is written out without --policy and --capacity."
    ))
  var generate: GeneratedTrace?

  @Option(help: .value("n", "The seed of the trace (default: 1).")) var seed: UInt64?

  @Option(
    help: .text(
      "Whose requests (default: client).",
      "client: one reader, before any cache; edge: many, after each one's own cache of a week."))
  var mode: ImageDayGenerator.Mode?

  @Option(help: .value("n", "Days of the trace (default: 365 for client, 30 for edge).")) var days:
    Int?
  @Option(help: .value("n", "Readers, for edge (default: 600).")) var readers: Int?

  @Option(
    name: [.customShort("o"), .customLong("output")],
    help: .value(
      "file",
      "Write the trace that was read or generated, as .csv or .oracleGeneral; '-' is CSV on stdout.",
      "With --policy or --capacity, it is simulated as well."), completion: .file())
  var output: String?

  mutating func validate() throws {
    try require((1...10_000).contains(days ?? 1), "--days is 1 through 10000")
    try require((1...100_000).contains(readers ?? 1), "--readers is 1 through 100000")
    if generate == nil, seed != nil || mode != nil || days != nil || readers != nil {
      throw ValidationError(
        "--seed, --mode, --days and --readers are for a trace that is made; add --generate days")
    }
    _ = try outputFormat()
    if readers != nil, mode != .edge { throw ValidationError("--readers is for --mode edge") }
  }

  func outputFormat() throws -> TraceFormat {
    guard let output, output != "-" else { return .csv }
    guard let format = TraceFormat(path: output), TraceWriter.formats.contains(format),
      !output.lowercased().hasSuffix(".gz"), !output.lowercased().hasSuffix(".gzip")
    else {
      throw ValidationError("--output writes .csv or .oracleGeneral, not packed, not '\(output)'")
    }
    return format
  }

  var generator: ImageDayGenerator? {
    generate.map { _ in
      ImageDayGenerator(
        mode: mode ?? .client, seed: seed ?? 1, dayCount: days, readerCount: readers)
    }
  }
}
