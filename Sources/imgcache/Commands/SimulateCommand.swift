import ArgumentParser
import CacheSimulation
import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `imgcache simulate TRACE...`: what caches of several policies and sizes would have hit.
struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Replays traces through cache policies and tells their hit ratios.",
    discussion: """
      imgcache simulate trace.csv.gz --policy lru,gdsf-tb,pfoo-l --capacity 0.1%,1%,10%
      imgcache simulate --generate days --policy lru,gdsf-tb --capacity 64MiB
      imgcache simulate --generate days --seed 7 -o days.csv

      A trace is CSV (time,key,size), 'time id size', an ARC .lis file or libCacheSim's oracleGeneral, \
      packed by gzip or not; '-' is stdin. Policies: \(SimulatedPolicy.names.joined(separator: " ")); \
      gdsf-tb:EXPONENT sets the power of the size. A capacity is in bytes (64MiB), objects (1000obj), or a \
      share of the trace's bytes (1%) or objects (1%obj).
      """)

  @Argument(help: ArgumentHelp("Traces.", valueName: "trace")) var traces: [String] = []

  @Option(
    help: ArgumentHelp(
      "Policies, with commas between (default: lru,sieve,s3-fifo,w-tinylfu,gdsf,gdsf-tb,pfoo-l).",
      valueName: "list"))
  var policy: String?

  @Option(
    help: ArgumentHelp(
      "Capacities, with commas between (default: 0.1%,1%,10%).", valueName: "list"))
  var capacity: String?

  @Option(help: "How results are written: table, csv or libcachesim.")
  var format = SimulationFormat.table

  @Option(
    help: ArgumentHelp(
      "Draw hit ratios over capacities into a file (.svg or .png), or '-': in letters on stdout. On a terminal a table brings its plot along.",
      valueName: "file"))
  var plot: String?

  @Option(
    help: ArgumentHelp(
      "Keep this share of the keys (0.01 or 1%), chosen by hash, and simulate caches as much smaller.",
      valueName: "rate"))
  var sample: String?

  @OptionGroup(title: "Generating") var generating: GeneratorOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  private static let defaultPolicies = "lru,sieve,s3-fifo,w-tinylfu,gdsf,gdsf-tb,pfoo-l"
  private static let defaultCapacities = "0.1%,1%,10%"

  mutating func validate() throws {
    if traces.isEmpty, generating.generate == nil {
      throw ValidationError("name a trace, or '-' for stdin, or make one with --generate days")
    }
    if traces.count(where: { $0 == "-" }) > 1 { throw ValidationError("stdin can be read once") }
    if generating.output != nil, generating.generate == nil {
      throw ValidationError("--output is where --generate writes to")
    }
    if let plot, plot != "-", !plot.hasSuffix(".svg"), !plot.hasSuffix(".png") {
      throw ValidationError("--plot draws .svg or .png, not '\(plot)'")
    }
    _ = try (policies(), capacities(), sampleRate())
  }

  func run() async throws {
    let (policies, capacities, rate) = try (policies(), capacities(), sampleRate())
    if let generator = generating.generator, writesOnly {
      return try write(generator)
    }
    let isComplete = try await Interruption.whileHandled {
      try await simulate(policies, capacities, sampleRate: rate)
    }
    if !isComplete { throw ExitStatus.incomplete }
  }

  /// Whether a generated trace is all that is wanted.
  private var writesOnly: Bool {
    generating.output != nil || (traces.isEmpty && policy == nil && capacity == nil)
  }

  // MARK: Reading the lists

  private func policies() throws -> [SimulatedPolicy] {
    try (policy ?? Self.defaultPolicies).split(separator: ",").map { name in
      guard let policy = SimulatedPolicy(String(name)) else {
        throw ValidationError(
          "no policy '\(name)'; there are \(SimulatedPolicy.names.joined(separator: ", "))")
      }
      return policy
    }
  }

  private func capacities() throws -> [SimulatedCapacity] {
    try (capacity ?? Self.defaultCapacities).split(separator: ",").map { text in
      guard
        let capacity = SimulatedCapacity(String(text), bytes: { ByteQuantity(argument: $0)?.count })
      else {
        throw ValidationError("no capacity '\(text)'; write 64MiB, 1000obj, 1% or 1%obj")
      }
      return capacity
    }
  }

  private func sampleRate() throws -> Double {
    guard let sample else { return 1 }
    let isPercent = sample.hasSuffix("%")
    let number = Double(isPercent ? sample.dropLast() : sample[...]).map {
      isPercent ? $0 / 100 : $0
    }
    guard let number, number > 0, number <= 1 else {
      throw ValidationError("--sample is a share above 0 up to 1, not '\(sample)'")
    }
    return number
  }

  // MARK: Doing it

  /// - Returns: Whether every trace could be read.
  private func simulate(
    _ policies: [SimulatedPolicy], _ capacities: [SimulatedCapacity], sampleRate: Double
  ) async throws -> Bool {
    var isComplete = true
    var simulations: [Simulation] = []
    if let generator = generating.generator {
      let trace = generator.trace(sampleRate: sampleRate)
      simulations += Self.combinations(trace, policies, capacities)
    }
    for path in traces {
      do {
        let trace = try TraceReader.read(path, sampleRate: sampleRate)
        simulations += Self.combinations(trace, policies, capacities)
      } catch let error as ImageError {
        common.report.error(error.message)
        isComplete = false
      }
      try Task.checkCancellation()
    }
    let found = try await SimulationRun(
      simulations: simulations, showsProgress: common.showsProgress
    ).results()
    for (simulation, result) in zip(simulations, found) where result == nil {
      common.report.note(
        """
        \(simulation.trace.name), \(simulation.policy) at \(simulation.capacity): left out, it is for objects \
        of one size; count objects (1%obj) or take pfoo-l
        """)
    }
    let results = SimulationResult.closingGaps(found.compactMap { $0 })
    show(results)
    try draw(results)
    return isComplete
  }

  private static func combinations(
    _ trace: Trace, _ policies: [SimulatedPolicy], _ capacities: [SimulatedCapacity]
  ) -> [Simulation] {
    capacities.flatMap { capacity in
      policies.map { Simulation(trace: trace, policy: $0, capacity: capacity) }
    }
  }

  // MARK: Showing it

  private func show(_ results: [SimulationResult]) {
    let report = common.report
    if common.json {
      for result in results { report.object(SimulationRow(result: result).json) }
      return
    }
    switch format {
    case .table:
      if !results.isEmpty { Report.write(SimulationTable.text(results), to: STDOUT_FILENO) }
    case .csv:
      report.line(SimulationRow.csvHeader)
      for result in results { report.line(SimulationRow(result: result).csv) }
    case .libcachesim:
      for result in results { report.line(SimulationRow(result: result).libCacheSim) }
    }
  }

  private func draw(_ results: [SimulationResult]) throws {
    let chart = Chart(results)
    switch plot {
    case let path? where path.hasSuffix(".svg"):
      try FileCopy.write(Array(chart.svg().utf8), to: path)
    case let path? where path.hasSuffix(".png"):
      try FileCopy.write(try ImageCodecs.encodePNG(chart.pixels()), to: path)
    case "-":
      common.report.line(chart.text(columns: StatusLine.columns))
    default:
      guard !common.json, format == .table, isatty(STDOUT_FILENO) == 1,
        chart.panels.contains(where: { $0.lines.contains { $0.points.count > 1 } })
      else { return }
      common.report.line("\n" + chart.text(columns: StatusLine.columns))
    }
  }

  private func write(_ generator: ImageDayGenerator) throws {
    var text = "time,key,size\n"
    for request in generator.requests() {
      text += "\(request.time),\(request.key),\(request.size)\n"
    }
    if let path = generating.output, path != "-" {
      try FileCopy.write(Array(text.utf8), to: path)
    } else {
      Report.write(text, to: STDOUT_FILENO)
    }
  }
}
