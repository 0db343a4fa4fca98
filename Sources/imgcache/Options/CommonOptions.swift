public import ArgumentParser
public import CachePolicies
public import DiskCaching
import ImageCodecs
import ImageModel
import ImagePipeline
import TextEncodings

enum Version {
  static let text = PackageVersion.text

  static var json: JSONLine {
    [
      "version": text, "reads": ImageCodecs.decodableFormats.map(\.rawValue),
      "writes": ImageCodecs.encodableFormats.map(\.rawValue),
    ]
  }

  static var description: String {
    func names(_ formats: [ImageFormat]) -> String {
      formats.map(\.displayName).joined(separator: ", ")
    }
    return """
      \(text)
      reads: \(names(ImageCodecs.decodableFormats))
      writes: \(names(ImageCodecs.encodableFormats))
      """
  }
}

/// For a command that stores.
struct CachedOptions: ParsableArguments {
  @OptionGroup(title: "Cache", visibility: .fullHelp) var cache: CacheOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  var report: Report { common.report }
}

struct FetchingOptions: ParsableArguments {
  @OptionGroup(title: "Network", visibility: .fullHelp) var network: NetworkOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var checking: CheckOptions
  @OptionGroup var cached: CachedOptions

  var common: CommonOptions { cached.common }
  var report: Report { cached.report }

  func request(for url: String, _ policy: CachePolicy) -> ImageRequest {
    var request = ImageRequest(url: url)
    request.cache.policy = policy
    request.decoding.check = checking.check
    return request
  }
}

/// `-V`, beside the parser's `--version`.
struct VersionFlag: ParsableArguments {
  @Flag(name: .customShort("V"), help: .rare(nil, "As --version.")) var isVersionAsked = false

  func validate() throws {
    if isVersionAsked { throw CleanExit.message(Version.description) }
  }
}

struct CommonOptions: ParsableArguments {
  @Option(
    help: .value(
      "dir",
      "The cache directory (default: $IMGCACHE_DIR, else $XDG_CACHE_HOME/imgcache, else ~/.cache/imgcache)."
    ), completion: .directory)
  var cacheDir: String?

  @Option(
    help: .value(
      "file", "Read options from a YAML or JSON file.",
      "The command line and IMGCACHE_… variables take precedence."), completion: .file())
  var config: String?

  @Flag(name: .shortAndLong, help: "Print JSON, one object a line.")
  var json = false

  @Flag(name: .shortAndLong, help: "Print errors only, no notes.") var quiet = false
  @Flag(name: .shortAndLong, help: "Print more notes, on stderr.") var verbose = false
  @Flag(help: "Draw no progress bar.") var noProgress = false
  @Flag(help: "Use no colours, as with NO_COLOR.") var noColor = false
  @OptionGroup var version: VersionFlag

  /// Whether a progress bar is drawn: only on a terminal, and unless an option forbids it.
  var showsProgress: Bool { !json && !quiet && !noProgress && TerminalDevice.isPossible(2) }

  var report: Report { Report(json: json, quiet: quiet, verbose: verbose) }
}

/// The limit on the bytes of a cache: for what stores, and for what compares with it.
struct SizeOptions: ParsableArguments {
  @Option(
    help: .value(
      "bytes",
      "The most bytes of the cache (default: what it was made with; that is 10 GiB, or a quarter of the file system if that is less).",
      "Each file counts in whole blocks of 4 KiB; images of kept and pinned days do not count."))
  var maxSize: ByteQuantity?

  func apply(to configuration: inout DiskCache.Configuration) {
    configuration.maximumByteCount = maxSize?.count
  }
}

/// For what removes entries by the limits.
struct EvictionOptions: ParsableArguments {
  @OptionGroup var size: SizeOptions

  @Option(
    help: .value(
      "duration", "Drop entries that were fetched or confirmed longer ago (default: never).",
      "With a unit: 12h, 30d."), transform: TimeQuantity.withUnit)
  var maxAge: TimeQuantity?

  @Option(
    help: .value(
      "policy", "What a full cache evicts for: hits or bytes, or by a policy (default: hits).",
      "bytes saves the most traffic. hits is lhd-tb. gdsf-tb:EXPONENT and lhd-tb:EXPONENT set the power of the size."
    ))
  var eviction: DiskEvictionPolicy?

  func apply(to configuration: inout DiskCache.Configuration) {
    size.apply(to: &configuration)
    configuration.maximumAge = maxAge?.duration
    if let eviction { configuration.policy = eviction }
  }
}

/// For what changes the cache.
struct DurabilityOptions: ParsableArguments {
  @Option(
    help: .text("When a change counts as done (default: relaxed).", "strict waits for the disk."))
  var durability: DiskCache.Durability?

  func apply(to configuration: inout DiskCache.Configuration) {
    configuration.durability = durability ?? .relaxed
  }
}

/// For what stores.
struct CacheOptions: ParsableArguments {
  @OptionGroup var limits: EvictionOptions

  @Option(
    help: .value(
      "bytes",
      "Store nothing while the file system has less free space (default: 5 % of it, at most 1 GiB)."
    ))
  var minFree: ByteQuantity?

  @OptionGroup var change: DurabilityOptions

  @Option(help: .value("when", "Compare checksums on reads (default: always)."))
  var verifyReads: DiskCache.ReadVerification?

  func apply(to configuration: inout DiskCache.Configuration) {
    limits.apply(to: &configuration)
    change.apply(to: &configuration)
    configuration.minimumFreeByteCount = minFree?.count
    configuration.readVerification = verifyReads ?? .always
  }
}

struct KeepingOptions: ParsableArguments {
  @Flag(help: "Do not keep the days that are fetched: the limit may evict their images.")
  var noKeep = false
}

extension DiskEvictionPolicy: @retroactive ExpressibleByArgument {
  /// The names that help and completion list.
  public static var allValueStrings: [String] { ["hits", "bytes"] + all.map(\.description) }
  /// The list of the names.
  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension EvictionPolicy: @retroactive ExpressibleByArgument {
  /// The names that help and completion list.
  public static var allValueStrings: [String] { ["hits", "bytes"] + all.map(\.description) }
  /// The list of the names.
  public static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

extension DiskCache.Durability: @retroactive ExpressibleByArgument {}
extension DiskCache.ReadVerification: @retroactive ExpressibleByArgument {}
