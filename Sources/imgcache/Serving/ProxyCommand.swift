import ArgumentParser
import CachingProxy
import DiskCaching
import HTTPListening
import ImagePipeline
import SharedCaching

struct ProxyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy",
    abstract: "Caches an origin's content: a reverse proxy.",
    usage: "imgcache proxy [<options>] --origin <url>",
    discussion: .examples(
      """
      imgcache proxy --origin https://example.org      on 127.0.0.1:8781
      imgcache proxy --listen 0.0.0.0:8080 --origin http://10.0.0.7:3000 --memory

      Content of any kind: every method and every end-to-end header field is forwarded (of a request, not Proxy and \
      names with an underscore), bodies are streamed unchanged, equal requests in flight share one response. Responses \
      are stored and used as RFC 9111 allows a shared cache; Cache-Status (RFC 9211) states what was done. \
      X-Forwarded-For, -Proto and -Host tell the origin of the client.

      With --admin-key-file, PURGE of a URL removes what is stored for it; PURGE is never forwarded. --admin-listen \
      serves operators apart from the content: /metrics, /stats, /status, /healthz, /readyz and, with a key, \
      POST /purge {"urls":[],"prefixes":[],"tags":[],"soft":false}. On a loopback \
      address, a request that names the proxy's own port and neither localhost, a loopback address nor a --server-name \
      gets 421: only a page whose name resolves to this machine (DNS rebinding) sends it.

      Sockets from systemd (LISTEN_FDS) are taken in place of --listen. SIGTERM and SIGINT finish the requests in \
      progress. SIGHUP reads the keys again and opens the access log again.

      Exit status: 0 stopped after all requests had finished, 2 the address is not available or the cache failed, \
      64 misuse, 130 or 143 stopped by SIGINT or SIGTERM before all requests had finished.
      """))

  @Option(
    help: .value(
      "host:port|unix:path", "Where to listen (default: 127.0.0.1:8781).",
      "Port 0 takes any that is free; repeat the option for more."))
  var listen: [ListenArgument] = []

  @Option(
    help: .value(
      "url", "Where requests go: an http or https URL.",
      "Its path is put before those of requests; it may be at a private address."))
  var origin: String

  @Flag(
    help: .text(
      "Keep responses in memory only.", "--max-size limits them, to 256 MiB if it is not given."))
  var memory = false

  @Flag(
    help: .text(
      "Store responses with Set-Cookie, too.",
      """
      RFC 9111 allows it. Without the option, only those that say Cache-Control: public are stored, and without that field, so that no \
      client gets the session of another.
      """))
  var storeSetCookie = false

  @OptionGroup(title: "Rules", visibility: .fullHelp) var rules: RuleOptions
  @OptionGroup(title: "Operation", visibility: .fullHelp) var operation: OperationOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var origins: OriginOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var trust: TrustOptions
  @OptionGroup(title: "Several servers", visibility: .fullHelp) var tier: TierOptions
  @OptionGroup(title: "Several servers", visibility: .fullHelp) var buckets: BucketOptions
  @OptionGroup(title: "Cache", visibility: .fullHelp) var privateEntries: PrivateEntryOptions
  @OptionGroup(title: "Connections", visibility: .fullHelp) var connections: ConnectionOptions
  @OptionGroup var cached: CachedOptions

  func validate() throws {
    try require(
      tier.tier == nil || origins.originHeader.isEmpty,
      "--tier and --origin-header exclude each other: responses to such requests are not shared")
  }

  var memoryByteCount: Int { memory ? cached.cache.limits.size.maxSize?.count ?? 256 << 20 : 0 }

  func run() async throws {
    let report = cached.report
    let files = try connections.raisedOpenFileLimit()
    if let shortage = connections.shortage(files) { report.note(shortage) }
    let headers = try origins.headers()
    var configuration = CachingProxy.Configuration(
      origin: origin,
      storage: memory
        ? .memory(maximumByteCount: memoryByteCount)
        : .disk(
          try cached.openCache(
            access: .createOrRead, headers: headers, refusesNewcomers: true)))
    configuration.originHeaders = headers
    let certificates = try trust.certificates()
    configuration.certificates = certificates
    if !buckets.s3.isEmpty, tier.tier2 == nil { report.note("--s3 has no effect without --tier2") }
    let tier = try tier.open(try buckets.buckets(), certificates, report: report)
    configuration.sharedTier = tier
    configuration.usesPrivateEntries = privateEntries.allowPrivateEntries
    configuration.listener = try connections.listener(
      on: ListenArgument.targets(listen, orAt: 8781), operation, files)
    configuration.storesSetCookie = storeSetCookie
    configuration.rules = try rules.rules()
    if let fields = try rules.targetedFields() { configuration.targetedFields = fields }
    configuration.adminKeys = try operation.adminKeys()
    let log = try operation.logFile()
    configuration.accessLog = operation.log(to: log)
    configuration.log = { report.note($0) }
    let proxy = try CachingProxy(configuration)
    let reload = reloading(
      ProxyCommand.self, naming: OperationOptions.reloadable(log), report, log
    ) { command in
      let keys = try command.operation.adminKeys()
      try log?.reopen(at: command.operation.accessLog)
      proxy.replaceAdminKeys(by: keys)
    }
    let ending = try await Interruption.whileHandled(reloading: reload) {
      try await proxy.run { targets in operation.announce(targets, for: origin, report) }
    }
    await tier?.shutDown()
    if ending == .cut { throw Interruption.exitCode ?? ExitStatus.incomplete }
  }
}
