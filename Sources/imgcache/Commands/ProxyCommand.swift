import ArgumentParser
import CachingProxy
import HTTPListening
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `imgcache proxy`: a caching reverse proxy in front of one origin.
struct ProxyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy",
    abstract: "Serves an origin's content through the cache: a caching reverse proxy.",
    discussion: """
      imgcache proxy --origin https://example.org                        on 127.0.0.1:8781
      imgcache proxy --listen 0.0.0.0:8080 --origin http://10.0.0.7:3000 --memory

      Content of any kind: every registered method and every end-to-end field goes through (of a request, not Proxy and
      names with an underscore), bodies are streamed and left as they are, equal requests under way share one answer. Answers
      are kept and used as RFC 9111 lets a shared cache; Cache-Status (RFC 9211) tells what was done. SIGTERM and SIGINT
      finish what is in progress.
      Sockets from systemd (LISTEN_FDS) are taken in place of --listen.
      On a loopback address, a request that names the proxy's own port and neither localhost, a loopback address nor a
      --server-name gets 421: only a page whose name was made to mean this machine (DNS rebinding) sends it.

      Exit status: 0 stopped in order, 2 the address cannot be had or the cache failed, 143 something was cut off.
      """)

  @Option(
    help: ArgumentHelp(
      "The address and port to listen on, or unix:PATH; port 0 takes any that is free; repeat it for more (default: 127.0.0.1:8781).",
      valueName: "host:port|unix:path"))
  var listen: [ListenArgument] = []

  @Option(
    help: ArgumentHelp(
      "Where requests go: an http or https URL, wherever it is; its path goes before theirs.",
      valueName: "url"))
  var origin: String

  @Flag(help: "Keep answers in memory alone; --max-size bounds them (default there: 256 MiB).")
  var memory = false

  @Flag(
    help: ArgumentHelp(
      "Store and share responses with Set-Cookie as RFC 9111 allows.",
      discussion: """
        Without it, only those that say Cache-Control: public are stored, and without that field, so that no client \
        gets the session of another.
        """))
  var storeSetCookie = false

  @OptionGroup(title: "Connections") var connections: ConnectionOptions
  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  /// Bytes of answers kept with `--memory`.
  static let storageByteCount = 256 << 20

  mutating func run() async throws {
    let report = common.report
    let environment = ProcessInfo.processInfo.environment
    let files = try connections.raisedOpenFileLimit()
    if let shortage = connections.shortage(files) { report.note(shortage) }
    var configuration = CachingProxy.Configuration(
      origin: origin,
      storage: memory
        ? .memory(maximumByteCount: cache.maximumSize?.count ?? Self.storageByteCount)
        : .disk(try Session.openCache(cache, common: common, access: .createOrRead)))
    configuration.listener = try connections.listener(
      on: ListenArgument.targets(
        listen, environment, otherwise: .tcp(host: "127.0.0.1", port: 8781)), files)
    configuration.storesSetCookie = storeSetCookie
    configuration.log = { report.note($0) }
    let proxy = try CachingProxy(configuration)
    let (origin, isJSON) = (origin, common.json)
    let ending = try await Interruption.whileHandled {
      try await proxy.run { targets in
        for target in targets {
          if isJSON {
            report.object(target.json(origin: origin))
          } else {
            report.line("listening on \(target.url) for \(origin)")
          }
        }
        SocketFile.notify("READY=1", environment)
      }
    }
    if ending == .cut { throw Interruption.exitCode ?? ExitStatus.incomplete }
  }
}
