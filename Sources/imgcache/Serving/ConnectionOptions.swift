import ArgumentParser
import HTTPListening
import ImageModel

struct ConnectionOptions: ParsableArguments {
  @Option(
    help: .value(
      "name", "A name of this server, besides localhost.",
      "On a loopback address others get 421. example.org, *.example.org for all below it, or * for any; repeat the option for more."
    ))
  var serverName: [String] = []

  @Option(help: .value("mode", "Permissions of a Unix socket, in octal.")) var socketMode = "660"

  @Option(
    help: .value(
      "n", "Connections at once (default: 4096, or what the limit of open files allows).",
      "Further ones get 503 and are closed."))
  var maxConnections: Int?

  @Option(help: .value("duration", "How long the head of a request may take."))
  var headTime = TimeQuantity(.seconds(10))

  @Option(
    help: .value(
      "duration", "How long a connection may be idle.", "The body of a request may pause as long."))
  var idleTime = TimeQuantity(.seconds(75))

  @Option(help: .value("duration", "How long a client may read nothing."))
  var writeTime = TimeQuantity(.seconds(30))

  @Option(help: .value("duration", "How long requests may go on after SIGTERM.", "Refreshes, too."))
  var drainTime = TimeQuantity(.seconds(30))

  func validate() throws {
    try require((1...1_000_000).contains(maxConnections ?? 1), "--max-connections is 1 to 1000000")
    try require(
      UInt16(socketMode, radix: 8).map({ $0 <= 0o777 }) == true,
      "--socket-mode is octal, for example 660")
  }

  func serverNames() throws(ImageError) -> HostAllowList {
    try ImageError.misuse(about: "--server-name") { () throws(ImageError) in
      try HostAllowList(serverName)
    }
  }

  func listener(
    on targets: [ListenTarget], _ operation: OperationOptions, _ files: OpenFileLimit
  ) throws(ImageError) -> ListenerConfiguration {
    var listener = ListenerConfiguration(targets)
    listener.operatorTargets = operation.adminListen.map(\.target)
    listener.socketMode = UInt16(socketMode, radix: 8) ?? 0o660
    listener.serverNames = try serverNames()
    listener.trustedProxies = try TrustedProxies(operation.trustedProxy)
    listener.limits = limits(files)
    listener.drainTime = drainTime.duration
    return listener
  }

  /// Returns the limits of clients, with as many connections as the open files allow.
  func limits(_ files: OpenFileLimit) -> ConnectionLimits {
    var limits = ConnectionLimits()
    limits.maximumConnections = min(wantedConnections, files.connectionCount)
    limits.headTime = headTime.duration
    limits.idleTime = idleTime.duration
    limits.writeTime = writeTime.duration
    return limits
  }

  private var wantedConnections: Int { maxConnections ?? ConnectionLimits().maximumConnections }

  /// Raises the limit of open files as far as these connections need.
  func raisedOpenFileLimit() throws(ImageError) -> OpenFileLimit {
    try OpenFileLimit(raisedFor: wantedConnections)
  }

  func shortage(_ files: OpenFileLimit) -> String? {
    guard wantedConnections > files.connectionCount else { return nil }
    return "\(wantedConnections) connections need "
      + "\(OpenFileLimit.fileCount(for: wantedConnections)) open files, and the limit is "
      + "\(files.count) (ulimit -n, LimitNOFILE=): at most \(files.connectionCount) are served"
  }
}
