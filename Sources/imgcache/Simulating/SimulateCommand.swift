import ArgumentParser
import CacheSimulation
import ImageModel
import TerminalGraphics

struct SimulateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "simulate",
    abstract: "Replays traces through cache policies and prints their hit ratios.",
    usage: "imgcache simulate [<options>] [<trace> ...]",
    discussion: .examples(
      """
      imgcache simulate trace.csv.gz --policy lru,gdsf-tb --capacity 0.1%,1%,10%
      imgcache simulate --generate days --policy lru,gdsf-tb --capacity 64MiB

      imgcache simulate --generate days --seed 7 -o days.csv
      imgcache simulate trace.csv.gz -o trace.oracleGeneral
      imgcache simulate /var/log/nginx/access.log --policy lru,gdsf-tb --capacity 1GiB,10GiB
      zcat P1.lis.gz | imgcache simulate - --trace-format arc --capacity 10000obj
      imgcache simulate trace.csv.gz --capacity 1% --servers 1,4,10 --hashing none,consistent --tier none --tier 10%

      A trace is CSV (time,key,size), 'time id size', an ARC .lis file, libCacheSim's oracleGeneral, or an access log: \
      the common or combined format of nginx and Apache, Caddy's JSON, or 'serve --access-log' in any format; \
      packed by gzip or not; '-' is stdin. Name and first bytes tell which; ARC without .lis looks like 'time id size' \
      and needs --trace-format arc.

      Policies: \(SimulatedPolicy.names.joined(separator: " ")). \
      NAME-disk is a policy of the disk of serve and proxy, which compares a sample of the entries; default-disk \
      is its default, \(SimulatedPolicy("default-disk")?.description ?? ""). gdsf-tb:EXPONENT, lhd-tb:EXPONENT and the same with \
      -disk before the colon set the power of the size; bytes and bytes-disk are those of --eviction bytes. \
      pfoo-l bounds the hits, pfoo-l-bytes their bytes.

      --output writes a trace for other programs, such as libCacheSim: \
      'cachesim trace.oracleGeneral oracleGeneral lru,fifo 1mb,16mb --consider-obj-metadata=false', or for CSV \
      'cachesim trace.csv csv lru 1mb -t "time-col=1, obj-id-col=2, obj-size-col=3, obj-id-is-num=true, delimiter=,, has-header=true"'. \
      Keys are numbered as they first appear.

      A capacity is in bytes (64MiB), objects (1000obj), or a \
      share of the trace's bytes (1%) or objects (1%obj).

      Columns of the table: hits, their ratio, the same by bytes, the ratio without the first fifth (warm), the share of \
      the gap between LRU and the bound that is closed (gap), objects evicted, nanoseconds a request.

      With --servers, --hashing or --tier each server has a cache of --capacity (a share is one of the whole trace), and \
      the columns are: hits of these caches as a share of all requests (local), hits of the tier as a share of the \
      requests that reached it (shared), the share of all requests that was left for the origin (origin) and of the \
      bytes (bytes), the share of the requests that the busiest server received (busiest). CSV and JSON have the usual \
      columns for the servers' caches together, and more behind them.
      """))

  @Argument(help: .value("trace", "Trace files; '-' is stdin."), completion: .file()) var traces:
    [String] = []

  @Option(
    help: .value(
      "list",
      "Policies, separated by commas (default: lru,sieve,s3-fifo,w-tinylfu,gdsf,gdsf-tb,pfoo-l; with --servers or --tier: default-disk)."
    ), completion: .lists(of: SimulatedPolicy.names))
  var policy: String?

  @Option(help: .value("list", "Capacities (default: 0.1%,1%,10%).")) var capacity: String?

  @Option(
    help: .rare(
      "format", "The format of the traces (default: by name and first bytes).",
      "spaced is 'time id size'."))
  var traceFormat: TraceFormat?

  @Option(help: "The format of results.")
  var format = SimulationFormat.table

  @Option(
    help: .value(
      "file", "Draw hit ratios over capacities.",
      "The file is .svg, .pdf, .png, .jpg or .webp; '-' draws in characters on stdout. On a terminal, a table comes with its plot."
    ), completion: .file())
  var plot: String?

  @Option(
    help: .value(
      "rate", "Simulate a share of the keys: 0.01 or 1%.",
      "They are chosen by hash, and caches are as much smaller: counts are the sample's, ratios estimates for the whole."
    ))
  var sample: String?

  @OptionGroup(title: "Servers", visibility: .fullHelp) var servers: FleetOptions
  @OptionGroup(title: "Generating", visibility: .fullHelp) var generating: GeneratorOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  mutating func validate() throws {
    if traces.isEmpty, generating.generate == nil {
      throw ValidationError("name a trace, or '-' for stdin, or make one with --generate days")
    }
    if traces.count(where: { $0 == "-" }) > 1 { throw ValidationError("stdin can be read once") }
    if traceFormat != nil, traces.isEmpty {
      throw ValidationError("--trace-format is for traces that are read; name one")
    }
    if generating.output != nil, traces.count + (generating.generate == nil ? 0 : 1) != 1 {
      throw ValidationError("--output writes one trace; name one, or one to generate")
    }
    if let path = generating.output, let written = FileIdentity(path),
      traces.contains(where: { FileIdentity($0) == written })
    {
      throw ValidationError("--output \(path) is the trace that is read; name another file")
    }
    if writesOnly, common.json || plot != nil || sample != nil || format != .table {
      throw ValidationError(
        "--json, --format, --plot and --sample are for results; name --policy or --capacity to simulate what is written"
      )
    }
    if !writesOnly, generating.output == "-" {
      throw ValidationError("results are written to stdout; give --output a file")
    }
    if plot == "-", common.json {
      throw ValidationError("--plot - and --json both write to stdout; give --plot a file")
    }
    if let plot, plot != "-" { _ = try PlotFile(plot) }
    if servers.areNamed, sample != nil || plot != nil || format == .libcachesim {
      throw ValidationError(
        "--sample, --plot and --format libcachesim are for a single cache; leave out --servers, --hashing and --tier"
      )
    }
    _ = try (policies(), capacities(), sampleRate(), servers.fleets())
  }

  func run() async throws {
    // Without what it takes to draw, nothing is simulated.
    let plotFile = try plot.flatMap { $0 == "-" ? nil : try PlotFile($0) }
    try plotFile?.prepare()
    let (policies, capacities, rate) = try (policies(), capacities(), sampleRate())
    if writesOnly || generating.output != nil {
      try write()
      if writesOnly { return }
    }
    let isComplete = try await Interruption.whileHandled(isExpendable: true) {
      try await simulate(policies, capacities, sampleRate: rate, plotFile: plotFile)
    }
    if !isComplete { throw ExitStatus.incomplete }
  }

  private var writesOnly: Bool {
    let isMade = generating.generate != nil && traces.isEmpty
    return (isMade || generating.output != nil) && policy == nil && capacity == nil
      && !servers.areNamed
  }

  private func policies() throws -> [(name: String, policy: SimulatedPolicy)] {
    let usual =
      servers.areNamed
      ? FleetOptions.defaultPolicy : "lru,sieve,s3-fifo,w-tinylfu,gdsf,gdsf-tb,pfoo-l"
    return try SimulationList.words(policy ?? usual, "--policy").map { name in
      let policy = try SimulationList.policy(name)
      if servers.areNamed { try FleetOptions.check(policy, name, "--policy") }
      return (name, policy)
    }
  }

  private func capacities() throws -> [SimulatedCapacity] {
    try SimulationList.words(capacity ?? "0.1%,1%,10%", "--capacity")
      .map(SimulationList.capacity)
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

  private func simulate(
    _ policies: [(name: String, policy: SimulatedPolicy)], _ capacities: [SimulatedCapacity],
    sampleRate: Double, plotFile: PlotFile?
  ) async throws -> Bool {
    var isComplete = true
    let errors = MessageGroups(common.report)
    var found: [CacheTrace] = []
    if let generator = generating.generator {
      found.append(generator.trace(sampleRate: sampleRate))
    }
    for path in traces {
      do {
        found.append(try read(path, sampleRate))
      } catch let error as ImageError {
        errors.fail(path, error, member: "trace")
        isComplete = false
      }
      try Task.checkCancellation()
    }
    errors.finish()
    let named: [Fleet?] = try servers.fleets()
    // `nil` is a single cache.
    let fleets = named.isEmpty ? [nil] : named
    let simulations = CacheTrace.distinguished(found).enumerated().flatMap { index, trace in
      capacities.flatMap { capacity in
        policies.flatMap { name, policy in
          fleets.compactMap { fleet in
            let single = Simulation(
              trace: trace, traceIndex: index, policy: policy, named: name, capacity: capacity)
            guard let fleet else { return single }
            return Simulation(
              trace: trace, traceIndex: index, policy: policy, named: name, capacity: capacity,
              fleet: fleet)
          }
        }
      }
    }
    let outcomes = try await SimulationRun(
      simulations: simulations, showsProgress: common.showsProgress
    ).results()
    let results = SimulationResult.closingGaps(outcomes)
    show(results)
    try draw(results, plotFile)
    if !common.json, format == .table { advise(SimulationResult.byTrace(results)) }
    return isComplete
  }

  /// - Throws: ``ImageError``, also for a trace without requests, which has no ratios.
  private func read(_ path: String, _ sampleRate: Double) throws -> CacheTrace {
    let trace = try TraceReader.read(path, format: traceFormat, sampleRate: sampleRate)
    let name = path == "-" ? "stdin" : path
    if trace.facts.requestCount > 0 {
      if let leftOut = trace.leftOut { common.report.note("\(name): \(leftOut)") }
      return trace
    }
    throw ImageError(
      .truncated,
      trace.fullRequestCount == 0
        ? "\(name) has no requests\(trace.leftOut.map { ": \($0)" } ?? "; a trace has lines 'time,key,size', or is an access log")"
        : "the sample of \(name) has no requests; raise --sample")
  }

  private func show(_ results: [SimulationResult]) {
    let report = common.report
    if common.json {
      for result in results { report.object(.result, SimulationRow(result: result).json) }
      return
    }
    switch format {
    case .table:
      if !results.isEmpty { showTable(results) }
    case .csv:
      report.line(servers.areNamed ? SimulationRow.fleetCSVHeader : SimulationRow.csvHeader)
      for result in results { report.line(SimulationRow(result: result).csv) }
    case .libcachesim:
      for result in results { report.line(SimulationRow(result: result).libCacheSim) }
    }
  }

  private func advise(_ results: [[SimulationResult]]) {
    for those in results {
      guard let sentence = SimulationAdvice.text(those) else { continue }
      let name = results.count > 1 ? "\(those[0].trace.name): " : ""
      common.report.line("\n\(name)\(sentence)")
    }
  }

  private func showTable(_ results: [SimulationResult]) {
    guard Stream.isTerminal(1) else { return Stream.write(SimulationTable.text(results), to: 1) }
    let columns = TerminalDevice.columns(of: 1)
    let text = SimulationTable.text(results, columns: columns)
    let lines = text.escapingControls().split(separator: "\n", omittingEmptySubsequences: false)
    let cut = lines.map { TextColumns.cut($0, columns) }
    Stream.write(cut.joined(separator: "\n"), to: 1)
  }

  private func draw(_ results: [SimulationResult], _ plotFile: PlotFile?) throws {
    let chart = Chart(results)
    if let plotFile {
      if let hint = try plotFile.write(chart) { common.report.hint(hint) }
    } else if plot != nil {
      common.report.line(chart.text(columns: StatusLine.columns))
    } else {
      guard !common.json, format == .table, Stream.isTerminal(1),
        chart.panels.contains(where: { $0.lines.contains { $0.points.count > 1 } })
      else { return }
      common.report.line("\n" + chart.text(columns: StatusLine.columns))
    }
  }

  private func write() throws {
    let trace =
      try generating.generator?.trace()
      ?? TraceReader.read(traces[0], format: traceFormat, keepsTimes: true)
    // Where it is simulated as well, that reading reports it.
    if writesOnly, let leftOut = trace.leftOut { common.report.note("\(traces[0]): \(leftOut)") }
    let bytes = try TraceWriter.bytes(of: trace, as: generating.outputFormat())
    if let path = generating.output, path != "-" {
      try OutputFile.write(bytes, to: path)
    } else {
      Stream.write(String(decoding: bytes, as: UTF8.self), to: 1)
    }
  }
}
