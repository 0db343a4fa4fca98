public import ArgumentParser
import DiskCaching
import ImageFeeds
import ImageFetching
import ImageModel
import SampleFeed

struct ConcurrencyOptions: ParsableArguments {
  @Option(help: .value("n", "Images in flight in all (default: 50; in serve 64).")) var concurrency:
    Int?
  @Option(
    help: .value(
      "n", "Connections to one host; over HTTP/2 a host gets as many streams as --concurrency.",
      "In serve images in flight to one host, at most half of --concurrency."))
  var perHost = 6

  func validate() throws {
    try require(
      (1...1000).contains(limits.total) && (1...1000).contains(perHost),
      "--concurrency and --per-host are between 1 and 1000")
  }

  var limits: TransferLimits {
    var limits = TransferLimits()
    limits.total = concurrency ?? limits.total
    limits.perHost = perHost
    return limits
  }

  /// Those of a server: its clients choose the URLs, and one slow host must not stop the others.
  var serverLimits: TransferLimits {
    let total = concurrency ?? 64
    return TransferLimits(total: total, perHost: max(1, min(perHost, total / 2)))
  }
}

struct TransferLimits {
  var total = 50
  var perHost = 6

  /// With those that are checked, stored or queued while others are transferred.
  var inProgress: Int { total + 8 }
  var perHostInProgress: Int { perHost + 8 }
}

struct PatienceOptions: ParsableArguments {
  @Option(
    help: .value(
      "duration",
      "How long a host that answers 429 to everything is asked again, more and more slowly.",
      "--retries counts the other failures."))
  var giveUp = TimeQuantity(.seconds(600))
}

struct OriginUseOptions: ParsableArguments {
  @Flag(help: "Revalidate fresh entries, too.") var revalidate = false
  @OptionGroup var offlineUse: OfflineOptions

  func validate() throws {
    try require(
      !(revalidate && offlineUse.offline),
      "--revalidate and --offline exclude each other: give one of them")
  }

  var cachePolicy: CachePolicy {
    offlineUse.offline ? .onlyIfCached : revalidate ? .revalidate : .http
  }
}

struct OfflineOptions: ParsableArguments {
  @Flag(help: "Send no request to origins.") var offline = false
}

struct NetworkOptions: ParsableArguments {
  @Option(
    help: .value(
      "n", "The maximum number of retries of a transfer (default: 3; in serve 1).",
      "After timeouts, resets, short bodies, 408, 429 and 5xx."))
  var retries: Int?

  @Option(
    help: .value("n[/s|/m]", "Requests to one host per second or minute (default: no limit)."))
  var maxRate: RateQuantity?

  @Option(help: .value("bytes", "Bytes a second for all transfers together (default: no limit)."))
  var limitRate: ByteQuantity?

  @Option(
    help: .value(
      "duration",
      "Give up a transfer that brings less than 1 KiB in this time (default: 30 s; in serve 10 s).",
      "In seconds or with a unit: 500ms, 2m."), transform: TimeQuantity.positive)
  var timeout: TimeQuantity?

  @Option(
    help: .value(
      "duration", "Give up a transfer after this time in all (default: 5 min; in serve 30 s)."),
    transform: TimeQuantity.positive)
  var maxTime: TimeQuantity?

  @Option(help: .value("bytes", "Refuse larger bodies.")) var maxBytes = ByteQuantity(64 << 20)

  @Flag(help: "Let redirects and image URLs lead to loopback, link-local and private addresses.")
  var allowPrivateNetwork = false

  @Option(help: .value("text", "The User-Agent header (default: the program's name and version)."))
  var userAgent: String?

  @Option(
    help: .value(
      "url",
      "The proxy for transfers: HOST:PORT, or a URL with http, https, socks4, socks4a, socks5 or socks5h.",
      "Variables such as http_proxy are ignored."))
  var proxy: String?

  @Flag(
    help: .text(
      "Take users and passwords of hosts from ~/.netrc, or from the file that $NETRC names.",
      "Those in a URL take precedence. After a redirect elsewhere, none is sent."))
  var netrc = false

  @OptionGroup var trust: TrustOptions
  @OptionGroup var origins: OriginOptions
  @OptionGroup var buckets: BucketOptions

  private static let proxySchemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

  func validate() throws {
    try require((0...100).contains(retries ?? 0), "--retries is between 0 and 100")
    try require(
      maxBytes.count > 0 && limitRate.map({ $0.count > 0 }) ?? true,
      "--max-bytes and --limit-rate are positive")
    try require(
      userAgent?.utf8.allSatisfy { $0 >= 32 && $0 != 127 } ?? true,
      "--user-agent has a control character")
    if let proxy, let end = proxy.firstRange(of: "://")?.lowerBound,
      !Self.proxySchemes.contains(proxy[..<end].lowercased())
    {
      throw ValidationError(
        "--proxy is HOST:PORT, or a URL with one of \(Self.proxySchemes.enumerated)")
    }
  }
}

extension NetworkOptions {
  /// The hosts and ports of the named URLs may be private.
  func fetcher(
    named urls: [String], buckets: [S3Bucket], certificates: TrustedCertificates, transfers: Int,
    sample: SampleOrigin?, cache: DiskCache
  ) throws(ImageError) -> HTTPFetcher.Configuration {
    var configuration = HTTPFetcher.Configuration()
    configuration.hostGuard = HostGuard(exempting: urls)
    configuration.hostGuard.allowsPrivateNetworks = allowPrivateNetwork
    configuration.retryPolicy.maximumRetryCount = retries ?? 3
    configuration.retryPolicy.retriesSilence = true
    configuration.userAgent = userAgent ?? "imgcache/\(Version.text) (image archive)"
    configuration.proxy = proxy
    configuration.originHeaders = cache.configuration.originHeaders
    configuration.credentials = try credentials()
    configuration.s3Buckets = buckets
    configuration.certificates = certificates
    configuration.maximumTransfers = transfers
    configuration.maximumByteRate = limitRate?.count
    configuration.maximumRequestRatePerHost = maxRate?.perSecond
    configuration.partialBodies = cache.partialBodies
    if let sample {
      configuration.connectTo["\(SampleOrigin.host):80"] = "127.0.0.1:\(sample.port)"
    }
    return configuration
  }

  private func credentials() throws(ImageError) -> OriginCredentials {
    guard netrc else { return OriginCredentials(NamedCredentials.all) }
    let variables = Environment.variables
    let named = variables["NETRC"].flatMap { $0.isEmpty ? nil : $0 }
    let path = named ?? (variables["HOME"] ?? "") + "/.netrc"
    _ = try InputFile.read(path, maximum: 1 << 20, namedBy: "--netrc")
    return OriginCredentials(NamedCredentials.all, netrcFile: path)
  }

  /// Sets the defaults of a server, whose clients wait for the response.
  mutating func useServerDefaults() {
    retries = retries ?? 1
    timeout = timeout ?? TimeQuantity(.seconds(10))
    maxTime = maxTime ?? TimeQuantity(.seconds(30))
  }

  var fetchLimits: FetchLimits {
    var limits = FetchLimits()
    limits.maximumByteCount = maxBytes.count
    limits.lowSpeedTime = timeout?.duration ?? .seconds(30)
    limits.connectTime = timeout?.duration ?? .seconds(30)
    limits.totalTime = maxTime?.duration ?? .seconds(300)
    return limits
  }
}

struct CheckOptions: ParsableArguments {
  @Option(
    help: .text(
      "How an image is checked before it is stored.",
      "decode: every pixel; structure: its headers and length; none: its length alone."))
  var check: ImageCheck = .decode
}

extension ImageCheck: @retroactive ExpressibleByArgument {}

/// A rate of requests: `4`, `4/s`, `30/m`.
struct RateQuantity: ExpressibleByArgument, Hashable, Sendable {
  let perSecond: Double

  init?(argument: String) {
    let parts = argument.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let number = Double(parts[0]), number > 0, number <= 1_000_000,
      parts[0].allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") })
    else { return nil }
    switch parts.count == 2 ? parts[1] : "s" {
    case "s": perSecond = number
    case "m": perSecond = number / 60
    default: return nil
    }
  }
}
