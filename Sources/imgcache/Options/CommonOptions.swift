import ArgumentParser
import ImagePipeline

/// The options that every sub-command understands.
struct CommonOptions: ParsableArguments {
  @Option(
    name: .customLong("cache-dir"),
    help: ArgumentHelp(
      "The cache directory (default: IMGCACHE_DIR, else $XDG_CACHE_HOME/imgcache, else ~/.cache/imgcache).",
      valueName: "dir"))
  var cacheDirectory: String?

  @Option(
    help: ArgumentHelp(
      "Read options from a YAML or JSON file; the command line and IMGCACHE_… variables go first.",
      valueName: "file"))
  var config: String?

  @Flag(help: "Print one JSON object a line instead of text.")
  var json = false

  @Flag(help: "Print no notes on stderr, only errors.")
  var quiet = false

  @Flag(help: "Tell more on stderr.")
  var verbose = false

  @Flag(name: .customLong("no-progress"), help: "Draw no progress bar.")
  var noProgress = false

  @Flag(name: .customLong("no-color"), help: "Use no colours; NO_COLOR does the same.")
  var noColor = false

  /// Whether a progress bar is drawn: only on a terminal, and only when nothing forbids it.
  var showsProgress: Bool { !json && !quiet && !noProgress && StatusLine.isPossible }

  /// Where results, notes and errors go under these options.
  var report: Report { Report(json: json, quiet: quiet, verbose: verbose) }
}

/// How the cache directory is opened and kept; for every sub-command that uses it.
struct CacheOptions: ParsableArguments {
  @Option(
    name: .customLong("max-size"),
    help: ArgumentHelp(
      "Bytes of all images kept, each in whole blocks of 4 KiB, with the index (default: 10 GiB, or a quarter of the free space if that is less).",
      valueName: "bytes"))
  var maximumSize: ByteQuantity?

  @Option(
    name: .customLong("max-age"),
    help: ArgumentHelp(
      "Drop entries fetched or confirmed longer ago than this; with its unit: 12h, 30d (default: never).",
      valueName: "duration"), transform: TimeQuantity.withUnit)
  var maximumAge: TimeQuantity?

  @Option(
    help: "When an entry counts as stored: 'strict' waits until the disk has it (default: relaxed)."
  )
  var durability: DiskCache.Durability?

  @Option(
    name: .customLong("verify-reads"),
    help:
      "Check bytes against their checksum on reads: always, sampled or never (default: always).")
  var verifyReads: DiskCache.ReadVerification?

  @Option(
    help: ArgumentHelp(
      "Whom to let go when there is no room (default: gdsf-tb); gdsf-tb:EXPONENT sets the power of the size.",
      valueName: "policy"))
  var eviction: DiskEviction?
}

/// A policy that the disk can run on, by name.
struct DiskEviction: ExpressibleByArgument {
  /// Those that are a rank; the others are for memory and simulator only.
  static let allValueStrings: [String] = EvictionPolicy.all.filter(\.runsOnDisk)
    .map(\.description)

  let policy: EvictionPolicy

  init?(argument: String) {
    guard let policy = EvictionPolicy(argument), policy.runsOnDisk else { return nil }
    self.policy = policy
  }
}
