import ArgumentParser
import CachePolicies
import HTTPListening
import ImageModel
import ThumbnailServer

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serves thumbnails, originals and the days of the cache over HTTP.",
    usage: "imgcache serve [<options>]",
    discussion: .examples(
      """
      imgcache serve                                              on 127.0.0.1:8780
      imgcache serve --allow-host '*.example.org' --preset 'card=w=300&h=200'
      imgcache serve --listen unix:/run/imgcache/http.sock --sign-key-file keys

      curl -o a.jpg 'http://127.0.0.1:8780/thumb?url=https%3A%2F%2Fexample.org%2Fa.jpg&w=64'

      Resources: /thumb?url=U&w=W&h=H, /image?url=U, /info?url=U, /days, /days/YYYYMMDD, /healthz, /readyz, /metrics, \
      /stats, /status, and the reader at /. With --admin-key-file also DELETE /image?url=U, /days/YYYYMMDD and /tags/TAG, and \
      POST /purge {"urls":[],"days":[],"tags":[]}. --admin-listen has the pages for operators apart from the content.

      What is in the cache is served; only hosts named by --allow-host, buckets named by --s3, and the images of days \
      in the cache, are fetched. On a loopback address only requests for localhost, a loopback address or a \
      --server-name are answered, others get 421.

      Sockets from systemd (LISTEN_FDS) are taken in place of --listen. SIGTERM finishes the requests in progress. \
      SIGHUP reads the configuration file and the files of keys and the placeholder again, and opens the access log \
      again.

      Exit status: 0 stopped after all requests had finished, 2 the address is not available or the cache failed, \
      64 misuse, 143 stopped before all requests had finished.
      """))

  @Option(
    help: .value(
      "host:port|unix:path", "Where to listen (default: 127.0.0.1:8780).",
      "Port 0 takes any that is free; repeat the option for more."))
  var listen: [ListenArgument] = []

  @Flag(help: "Check options, keys, cache and address, and exit.")
  var check = false

  @OptionGroup(title: "Content") var serve: ServeOptions
  @OptionGroup(title: "Operation", visibility: .fullHelp) var operation: OperationOptions
  @OptionGroup(title: "Load", visibility: .fullHelp) var load: ServeLoadOptions
  @OptionGroup(title: "Connections", visibility: .fullHelp) var connections: ConnectionOptions
  @OptionGroup(title: "Where from", visibility: .fullHelp) var feed: FeedOptions
  @OptionGroup(title: "Cache", visibility: .fullHelp) var keeping: KeepingOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var parallel: ConcurrencyOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var origin: OfflineOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var network: NetworkOptions
  @OptionGroup(title: "Several servers", visibility: .fullHelp) var tier: TierOptions
  @OptionGroup(title: "Content", visibility: .fullHelp) var privateEntries: PrivateEntryOptions
  @OptionGroup var cached: CachedOptions

  func run() async throws {
    if check { return try await ServeCheck(command: self).run() }
    feed.timeZone?.use()
    let files = try connections.raisedOpenFileLimit()
    if let shortage = connections.shortage(files) { cached.report.note(shortage) }
    let session = try await ServeSession(self)
    let ending = try await finally(session.close) {
      let log = try operation.logFile()
      var configuration = ThumbnailServer.Configuration()
      try setRules(of: &configuration)
      configuration.listener = try connections.listener(
        on: targets, operation, files)
      configuration.listener.readingOrigins = serve.cors
      configuration.servesOnlyImages = serve.only == .images
      configuration.allowedRoots = Set(serve.roots.keys)
      configuration.log = { [report = cached.report] in report.note($0) }
      configuration.pathPrefix = serve.pathPrefix
      configuration.allowedBuckets = session.buckets
      configuration.isOffline = origin.offline
      configuration.memoryByteCount = load.memory.count
      configuration.memoryPolicy =
        load.memoryEviction ?? (cached.cache.limits.eviction == .bytes ? .bytes : .gdsfTB())
      configuration.days = session.days
      configuration.accesses = session.accesses
      configuration.accessLog = operation.log(to: log)
      let (started, prefix) = (configuration, configuration.pathPrefix)
      let server = try ThumbnailServer(configuration, parts: session.parts)
      let reload = reloading(
        ServeCommand.self, naming: Self.reloadable.union(OperationOptions.reloadable(log)),
        cached.report, log
      ) { command in
        var changed = started
        try command.setRules(of: &changed)
        try log?.reopen(at: command.operation.accessLog)
        session.hosts.withLock { $0 = changed.allowedHosts }
        server.replaceRules(by: changed)
      }
      return try await Interruption.whileHandled(reloading: reload) {
        try await server.run { targets in operation.announce(targets, below: prefix, cached.report)
        }
      }
    }
    if ending == .cut { throw ExitCode(143) }
  }

  private static let reloadable: Set<String> = [
    "allow-host", "sign-key-file", "preset", "presets-only", "allow-size", "default",
    "round-size", "max-thumbnail-side", "stale-while-revalidate", "stale-if-error", "placeholder",
    "cache-tag-separator",
  ]

  /// Sets what may change while the server runs.
  private func setRules(of configuration: inout ThumbnailServer.Configuration) throws {
    configuration.allowedHosts = try serve.allowedHosts()
    configuration.signingKeys = try serve.signingKeys()
    configuration.adminKeys = try operation.adminKeys()
    configuration.rules = try serve.rules()
    configuration.grace.whileRevalidating = serve.staleWhileRevalidate.map(Self.seconds)
    configuration.grace.onError = serve.staleIfError.map(Self.seconds)
    configuration.placeholder = try serve.placeholderBytes()
    configuration.cacheTagSeparator = serve.cacheTagSeparator
  }

  var targets: [ListenTarget] { ListenArgument.targets(listen, orAt: 8780) }

  private static func seconds(_ time: TimeQuantity) -> Int { Int(time.duration.components.seconds) }
}
