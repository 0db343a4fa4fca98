import ArgumentParser
import HTTPListening
import ImagePipeline

/// Options of `serve` and `proxy` for client connections.
struct ConnectionOptions: ParsableArguments {
  @Option(
    name: .customLong("server-name"),
    help: ArgumentHelp(
      "A name to answer to on a loopback address besides localhost: example.org, *.example.org for all below it, or * for any; others get 421; repeat it.",
      valueName: "name"))
  var serverNames: [String] = []

  @Option(
    name: .customLong("socket-mode"),
    help: ArgumentHelp("Permissions of a unix socket, in octal.", valueName: "mode"))
  var socketMode = "660"

  @Option(
    name: .customLong("max-connections"),
    help: ArgumentHelp(
      "Connections at once; further ones get 503 and are ended (default: 4096, or what the limit of open files has room for).",
      valueName: "n"))
  var maximumConnections: Int?

  @Option(
    name: .customLong("head-time"),
    help: ArgumentHelp("How long the head of a request may take to come.", valueName: "duration"))
  var headTime = TimeQuantity(.seconds(10))

  @Option(
    name: .customLong("idle-time"),
    help: ArgumentHelp(
      "How long a connection may be idle, or nothing may come of a request's body.",
      valueName: "duration"))
  var idleTime = TimeQuantity(.seconds(75))

  @Option(
    name: .customLong("write-time"),
    help: ArgumentHelp("How long a client may take nothing of its answer.", valueName: "duration"))
  var writeTime = TimeQuantity(.seconds(30))

  @Option(
    name: .customLong("drain-time"),
    help: ArgumentHelp(
      "How long requests and refreshes in progress may take after SIGTERM.", valueName: "duration"))
  var drainTime = TimeQuantity(.seconds(30))

  func validate() throws {
    guard (1...1_000_000).contains(maximumConnections ?? 1) else {
      throw ValidationError("--max-connections is 1 to 1000000")
    }
    guard UInt16(socketMode, radix: 8).map({ $0 <= 0o777 }) == true else {
      throw ValidationError("--socket-mode is octal, for example 660")
    }
  }

  /// How a server listens.
  ///
  /// - Parameter targets: The addresses it listens on.
  func listener(
    on targets: [ListenTarget], _ files: OpenFileLimit
  ) throws(ImageError) -> ListenerConfiguration {
    var listener = ListenerConfiguration(targets)
    listener.socketMode = permissions
    listener.serverNames = try HostAllowList(serverNames)
    listener.limits = limits(files)
    listener.drainTime = drainTime.duration
    return listener
  }

  /// The limits of a client, with as many connections as there is room for.
  func limits(_ files: OpenFileLimit) -> ConnectionLimits {
    var limits = ConnectionLimits()
    limits.maximumConnections = min(wantedConnections, files.connectionCount)
    limits.headTime = headTime.duration
    limits.idleTime = idleTime.duration
    limits.writeTime = writeTime.duration
    return limits
  }

  private var permissions: UInt16 { UInt16(socketMode, radix: 8) ?? 0o660 }

  /// Connections at once, whether there is room for them or not.
  private var wantedConnections: Int {
    maximumConnections ?? ConnectionLimits().maximumConnections
  }

  /// The limit of open files, raised as far as these connections need.
  ///
  /// - Throws: ``ImageError`` with code `cannotListen` where it is too low for a server.
  func raisedOpenFileLimit() throws(ImageError) -> OpenFileLimit {
    try OpenFileLimit(raisedFor: wantedConnections)
  }

  /// Why fewer connections are served than are wanted; `nil` where all are.
  func shortage(_ files: OpenFileLimit) -> String? {
    guard wantedConnections > files.connectionCount else { return nil }
    return "\(wantedConnections) connections need "
      + "\(OpenFileLimit.fileCount(for: wantedConnections)) open files, and the limit is "
      + "\(files.count) (ulimit -n, LimitNOFILE=): at most \(files.connectionCount) are served"
  }
}
