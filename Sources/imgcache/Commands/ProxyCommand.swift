import ArgumentParser
import ImagePipeline
import ThumbnailServer

/// `imgcache proxy`: a caching reverse proxy in front of one origin.
struct ProxyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "proxy",
    abstract: "Serves an origin's content through the cache: a caching reverse proxy.",
    discussion: """
      imgcache proxy --origin https://example.org                        on 127.0.0.1:8781
      imgcache proxy --listen 0.0.0.0:8080 --origin http://10.0.0.7:3000 --memory

      Content of any kind: every registered method and every field for the other end goes through, bodies are streamed and left as
      they are, equal requests under way share one answer. Answers are kept and used as RFC 9111 lets a shared cache;
      Cache-Status (RFC 9211) tells what was done. SIGTERM and SIGINT finish what is under way.

      Exit status: 0 stopped in order, 2 the address cannot be had or the cache failed, 143 something was cut off.
      """)

  @Option(
    help: ArgumentHelp(
      "The address and port to listen on; port 0 takes any that is free.", valueName: "host:port"))
  var listen = ListenAddress(host: "127.0.0.1", port: 8781)

  @Option(
    help: ArgumentHelp(
      "Where requests go: an http or https URL, wherever it is; its path goes before theirs.",
      valueName: "url"))
  var origin: String

  @Flag(help: "Keep answers in memory alone; --max-size bounds them (default there: 256 MiB).")
  var memory = false

  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  mutating func run() async throws {
    let report = common.report
    var configuration = CachingProxy.Configuration(
      origin: origin,
      storage: memory
        ? .memory(maximumByteCount: cache.maximumSize?.count ?? 256 << 20)
        : .disk(try Session.openCache(cache, common: common, access: .createOrRead)))
    configuration.host = listen.host
    configuration.port = listen.port
    configuration.log = { report.note($0) }
    let proxy = try CachingProxy(configuration)
    let (origin, host, isJSON) = (origin, listen.host, common.json)
    let ending = try await Interruption.whileHandled {
      try await proxy.run { port in
        if isJSON {
          report.object(["event": "listening", "host": host, "port": port, "origin": origin])
        } else {
          report.line("listening on http://\(host):\(port) for \(origin)")
        }
      }
    }
    if ending == .cut { throw Interruption.exitCode ?? ExitStatus.incomplete }
  }
}
