import HTTPTypes
public import ImageModel
import LoadScheduling
import NIOHTTP1
import TextEncodings

/// What a server offers its operators: health, metrics, statistics and a page. None of them waits
/// for anything that content waits for.
public final class ServerOperation: Sendable {
  private let metrics: ServerMetrics
  private let help: [String: String]
  private let clock: @Sendable () -> Date
  /// The thread of the pages, which must not wait for content.
  private let executor: BlockingExecutor
  private let read: @Sendable () async -> ServerReading
  private let monitor: StatusMonitor
  private let ready = Locked(false)

  /// `read` returns the state of the server, on the thread of the pages; `help` has the meaning of
  /// its own counters.
  ///
  /// - Throws: `ImageError` with code `outOfMemory`.
  public init(
    _ metrics: ServerMetrics, help: [String: String], clock: @escaping @Sendable () -> Date,
    read body: @escaping @Sendable () async -> ServerReading
  ) throws(ImageError) {
    let executor = try BlockingExecutor(name: "operation", threadCount: 1)
    let read: @Sendable () async -> ServerReading = {
      await withTaskExecutorPreference(executor, operation: body)
    }
    self.executor = executor
    self.metrics = metrics
    self.help = ServerMetrics.help.merging(help) { $1 }
    self.clock = clock
    self.read = read
    monitor = StatusMonitor(metrics, read: read)
  }

  deinit { executor.stop() }

  /// Runs a server, which is ready while it listens, and keeps the history of the last hour. `hits`
  /// prepares an event loop, with its own front, for answering with responses that are ready, and
  /// returns what makes the responder of one of its connections.
  ///
  /// - Returns: How it ended, or `ImageError` with code `cannotListen`.
  public func run(
    _ front: ServerFront, _ responder: any RequestResponding, operators: RouteResponder,
    _ observer: ListenerObserver,
    hits: @escaping LoopHits
  ) async -> Result<ServerEnding, any Error> {
    let channel = FrontChannel(
      content: (front, responder), operators: (operatorFront(like: front), operators), hits: hits)
    var own = observer
    own.onListening = { [ready] targets in
      ready.withLock { $0 = true }
      observer.onListening(targets)
    }
    own.onDraining = { [ready] in
      ready.withLock { $0 = false }
      observer.onDraining()
    }
    await monitor.sample()
    let watching = Task { await monitor.run() }
    let result: Result<ServerEnding, any Error>
    do {
      result = .success(try await channel.run(own))
    } catch {
      result = .failure(error)
    }
    watching.cancel()
    await watching.value
    await executor.shutdown()
    return result
  }

  /// Adds `/healthz` and `/readyz`.
  public func addHealth(to routes: inout RouteTable) {
    routes.get("/healthz") { _ in .text("ok\n") }
    routes.get("/readyz") { [self] _ in
      ready.withLock { $0 }
        ? .text("ready\n")
        : Problem(
          .serviceUnavailable, "not_ready", "The server is starting or stopping.", retryAfter: 5
        )
        .answer
    }
  }

  /// Adds `/metrics` and `/stats`.
  public func addMetrics(to routes: inout RouteTable) {
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
  }

  /// Adds `/metrics`, `/stats` and `/status`.
  public func addPages(to routes: inout RouteTable) {
    addMetrics(to: &routes)
    routes.operate("/status") { [self] request in
      try await request.prefers("application/json", to: "text/html") ? json() : page(request)
    }
    routes.operate("/status.json") { [self] _ in try await json() }
    routes.get("/status/status.css") { request in
      .site(PackageResources.status_css, type: "text/css; charset=utf-8", for: request)
    }
    routes.get("/status/status.js") { request in
      .site(PackageResources.status_js, type: "text/javascript; charset=utf-8", for: request)
    }
  }

  private func text(_ reading: ServerReading, as format: PrometheusText.Format) -> String {
    var text = PrometheusText(format)
    metrics.write(to: &text, help: help)
    text.metric(
      "imgcache_in_flight", .gauge, "Requests without a complete response.",
      metrics.requests.inFlightCount)
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

  // MARK: The status

  private func json() async throws -> Answer {
    let text = try JSONText.encoded(await status(), inSnakeCase: true)
    var answer = Answer.text(
      String(decoding: text, as: UTF8.self) + "\n", type: "application/json")
    answer.fields[.vary] = "Accept"
    return answer
  }

  private func page(_ request: RoutedRequest) async throws -> Answer {
    let page = StatusPage(
      status: await status(), language: PageLanguage.language(of: request).0)
    var answer = Answer.site(Array(page.html.utf8), for: request)
    answer.fields[.cacheControl] = "no-store"
    answer.fields[.eTag] = nil
    answer.fields[.vary] = "Accept, Accept-Language"
    return answer
  }

  private func status() async -> ServerStatus {
    await monitor.status(at: Int(clock().timeIntervalSince1970))
  }

  private func operatorFront(like front: ServerFront) -> ServerFront {
    var own = front
    own.executor = executor
    own.isForOperators = true
    own.isOfProxy = false
    own.refusal = { [limits = front.listener.limits] facts, head in
      facts.problem(head, limits, maximumBody: PurgeRequest.maximumBody(of: head))
    }
    return own
  }
}
