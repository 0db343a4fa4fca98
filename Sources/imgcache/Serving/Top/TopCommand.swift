import ArgumentParser
import ImageModel
import Synchronization
import TextEncodings
import ThumbnailServer

/// `imgcache top URL`: how a running server does, in a terminal.
struct TopCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "top",
    abstract: "Shows the requests, hit rates and latencies of a running server, as /status does.",
    discussion: """
      imgcache top http://127.0.0.1:8780
      imgcache top https://thumbs.example.org --admin-key-file keys --interval 5s
      imgcache top unix:/run/imgcache/http.sock
      imgcache top http://127.0.0.1:8780 --json | jq .now.requests

      Requests, hit rates, latencies, queues and evictions of the last minute and hour, redrawn in place until Ctrl-C.
      If stdout is not a terminal, and with --once, it is printed once. --json prints a line for each reading.
      A server on other addresses than loopback and Unix sockets requires a key of its --admin-key-file.

      Exit status: 0 printed, 1 the server cannot be reached or refuses, 64 misuse, 130 Ctrl-C.
      """)

  @Argument(help: .value("url|unix:path", "The server's address: http://HOST:PORT or unix:PATH."))
  var url: String

  @Option(
    help: .value("file", "Send the first key of this file: NAME:SECRET or a secret a line."))
  var adminKeyFile: String?

  @Option(
    help: .value("duration", "The time between readings (default: 2 s)."),
    transform: TimeQuantity.positive)
  var interval = TimeQuantity(.seconds(2))

  @Flag(help: "Read and print once.") var once = false
  @OptionGroup var trust: TrustOptions

  @OptionGroup(title: "Common") var common: CommonOptions

  func run() async throws {
    let source = try TopSource(
      url, key: try adminKeyFile.map(SigningKeyFile.adminKeys)?.first?.secret,
      certificates: try trust.certificates())
    let (interval, once, common) = (interval.duration, once, common)
    // Nothing has to be finished: the first signal ends it.
    try await Interruption.whileHandled(isExpendable: true) {
      let first = try await source.status()
      if common.json {
        try Self.print(first, common.report)
        while !once {
          try await Task.sleep(for: interval)
          try Self.print(try await source.status(), common.report)
        }
      } else if once || !Stream.isTerminal(1) || !StatusLine.isPossible {
        let columns = Stream.isTerminal(1) ? TerminalDevice.columns(of: 1) : 100
        let screen = TopScreen(address: source.address, columns: columns)
        common.report.line(screen.lines(first).joined(separator: "\n"))
      } else {
        try await Self.draw(first, source, interval, common)
      }
    }
  }

  private static func print(_ status: ServerStatus, _ report: Report) throws {
    report.line(String(decoding: try JSONText.encoded(status, inSnakeCase: true), as: UTF8.self))
  }

  /// Redraws the lines until the task is cancelled. A server that stops responding is reported
  /// below its last figures.
  private static func draw(
    _ first: ServerStatus, _ source: TopSource, _ interval: Duration, _ common: CommonOptions
  ) async throws {
    let lines = TopLines(first, source.address, isColorless: common.noColor)
    try await TerminalState.shared.whileHeld(output: 2) { event in
      switch event {
      case .stopping: StatusLine.shared.suspend()
      case .continued: StatusLine.shared.resume()
      case .resized:
        StatusLine.shared.erase()
        lines.draw()
      }
    } _: {
      defer { StatusLine.shared.draw("") }
      while true {
        lines.draw()
        try await Task.sleep(for: interval)
        do {
          lines.show(try await source.status())
        } catch let error as ImageError {
          lines.show(failure: error.message)
        }
      }
    }
  }
}

/// The latest status of a server, drawn at the terminal's present size.
private final class TopLines: Sendable {
  private struct State {
    var status: ServerStatus
    var failure: String?
  }

  private let state: Mutex<State>
  private let address: String
  private let isColorless: Bool

  init(_ status: ServerStatus, _ address: String, isColorless: Bool) {
    state = Mutex(State(status: status))
    self.address = address
    self.isColorless = isColorless
  }

  func show(_ status: ServerStatus) { state.withLock { $0 = State(status: status) } }

  func show(failure: String) { state.withLock { $0.failure = failure } }

  /// Under the lock: of two drawings the later one has the later size.
  func draw() {
    state.withLock { state in
      let profile = TerminalDevice.profile(of: 2, asks: false, isColorless: isColorless)
      let screen = TopScreen(
        address: address, columns: profile.columns, isColorful: profile.depth != .none,
        failure: state.failure)
      let lines = screen.lines(state.status).prefix(max(1, profile.rows - 1))
      StatusLine.shared.draw(lines.joined(separator: "\n"))
    }
  }
}
