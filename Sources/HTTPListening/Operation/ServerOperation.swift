import ImageModel
import LoadScheduling
import NIOHTTP1
import Synchronization
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a server offers its operators: health, metrics, statistics and a page. None of them waits
/// for anything that content waits for.
public final class ServerOperation: Sendable {
  private let metrics: ServerMetrics
  private let help: [String: String]
  private let clock: @Sendable () -> Date
  private let read: @Sendable () async -> ServerReading
  private let monitor: StatusMonitor
  private let ready = Atomic(false)

  /// - Parameters:
  ///   - help: The meaning of the counters and histograms of the server's own.
  ///   - read: Returns the state of the server.
  public init(
    _ metrics: ServerMetrics, help: [String: String] = [:], clock: @escaping @Sendable () -> Date,
    read: @escaping @Sendable () async -> ServerReading
  ) {
    self.metrics = metrics
    self.help = ServerMetrics.help.merging(help) { $1 }
    self.clock = clock
    self.read = read
    monitor = StatusMonitor(metrics, read: read)
  }

  /// Whether the server is ready for new clients. Default: no.
  public var isReady: Bool {
    get { ready.load(ordering: .relaxed) }
    set { ready.store(newValue, ordering: .relaxed) }
  }

  /// Keeps the history of the last hour while a server runs.
  public func monitoring<Value: Sendable>(
    _ body: () async throws -> Value
  ) async throws -> Value {
    await monitor.sample()
    let watching = Task { await monitor.run() }
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    watching.cancel()
    await watching.value
    return try result.get()
  }

  /// Adds `/healthz` and `/readyz`.
  public func addHealth(to routes: inout RouteTable) {
    routes.get("/healthz") { _ in .text("ok\n") }
    routes.get("/readyz") { [self] _ in
      isReady
        ? .text("ready\n")
        : Problem(
          .serviceUnavailable, "not_ready", "The server is starting or stopping.", retryAfter: 5
        )
        .answer
    }
  }

  /// Adds `/metrics`, `/stats` and `/status`.
  public func addPages(to routes: inout RouteTable) {
    routes.operate("/metrics") { [self] request in
      let format = PrometheusText.Format(accept: request.fields[values: .accept])
      var answer = Answer.text(
        text(await read(), as: format), type: format.mediaType)
      answer.fields[.vary] = "Accept"
      return answer
    }
    routes.operate("/stats") { [self] _ in
      .text("\(await read().statistics(metrics))\n", type: "application/json")
    }
    StatusRoutes(monitor: monitor, clock: clock).add(to: &routes)
  }

  private func text(_ reading: ServerReading, as format: PrometheusText.Format) -> String {
    var text = PrometheusText(format)
    metrics.registry.write(to: &text, help: help)
    text.metric(
      "imgcache_in_flight", .gauge, "Requests without a complete response.", metrics.inFlightCount)
    let connections = metrics.connections
    text.metric("imgcache_connections", .gauge, "Open connections.", connections.servedCount)
    text.metric(
      "imgcache_connections_refused_total", .counter, "Connections above the limit.",
      connections.refusedTotal)
    text.metric(
      "imgcache_accept_pauses_total", .counter,
      "Pauses in accepting connections, at the limit of open files.", connections.pauseTotal)
    reading.write(to: &text)
    ProcessMetrics.write(to: &text)
    return text.text
  }

  // MARK: Listeners for operators

  /// The listeners for operators: what answers there, and by which rules.
  ///
  /// - Parameter front: That of the content.
  public static func listeners(
    like front: ServerFront, _ responder: RouteResponder
  ) -> (ServerFront, any RequestResponding) {
    var own = front
    let limits = front.limits
    own.isForOperators = true
    own.checksOwnPortOnly = false
    own.passesBytes = false
    own.refusal = { facts, head in
      facts.problem(head, limits, maximumBody: PurgeRequest.maximumBody(of: head))
    }
    return (own, responder)
  }
}
