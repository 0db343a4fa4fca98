public import ArgumentParser
import HTTPListening
import ImageModel

struct OperationOptions: ParsableArguments {
  @Option(
    help: .value(
      "host:port|unix:path", "Where to serve operators, apart from the content.",
      "/metrics, /stats, /status, /healthz, /readyz and POST /purge; repeat the option for more."))
  var adminListen: [ListenArgument] = []

  @Option(
    help: .value(
      "file", "Let requests with one of these keys remove content.",
      "They send Authorization: Bearer SECRET; the file has NAME:SECRET or a secret a line. In serve they may also read /metrics, /stats and /status from anywhere."
    ),
    completion: .file())
  var adminKeyFile: String?

  @Option(
    help: .value("file|-", "Write a line for every response; '-' is stderr."), completion: .file())
  var accessLog: String?

  @Option(
    help: .value(
      "format", "The form of these lines: text, combined or json.",
      "combined is that of Apache and nginx, with the error's code at its end."))
  var logFormat = AccessLog.Format.text

  @Option(
    help: .value(
      "address", "A proxy in front whose X-Forwarded-For or Forwarded names the client.",
      "An address, a network such as 10.0.0.0/8, or unix for the clients of Unix sockets; repeat the option for more."
    ))
  var trustedProxy: [String] = []

  /// The options that SIGHUP takes over; a server that began without a log gets none.
  static func reloadable(_ log: LogFile?) -> Set<String> {
    log == nil ? ["admin-key-file"] : ["admin-key-file", "access-log"]
  }

  func adminKeys() throws -> [SigningKey]? {
    try adminKeyFile.map { try SigningKeyFile.read($0, namedBy: "--admin-key-file") }
  }

  func logFile() throws -> LogFile? { try accessLog.map { try LogFile(path: $0) } }

  func log(to file: LogFile?) -> AccessLog.Configuration? {
    file.map { file in
      var configuration = AccessLog.Configuration(write: file.line)
      configuration.format = logFormat
      return configuration
    }
  }
}

extension OperationOptions {
  /// Tells users and the system where a server listens; the addresses for operators are the last
  /// ones.
  func announce(
    _ targets: [ListenTarget], below prefix: String = "", for origin: String? = nil,
    _ report: Report
  ) {
    for (index, target) in targets.enumerated() {
      let isForOperators = index >= targets.count - adminListen.count
      let purpose = isForOperators ? " for operators" : origin.map { " for \($0)" } ?? ""
      report.result(
        .listening, target.json(origin: origin, isForOperators: isForOperators),
        text: "listening on \(target.url)\(prefix)\(purpose)")
    }
    SocketFile.notify("READY=1", Environment.variables)
  }
}

extension AccessLog.Format: @retroactive ExpressibleByArgument {}
