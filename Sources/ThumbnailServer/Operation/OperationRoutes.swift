import HTTPListening
import Hummingbird
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What those ask who run the server: health, metrics, statistics. None of it waits for anything
/// that pictures wait for.
struct OperationRoutes: Sendable {
  let metrics: ServerMetrics
  let hot: HotAnswers
  let governor: MemoryGovernor
  let decodes: DecodeGate
  let pipeline: ImagePipeline
  let cache: DiskCache
  let readiness: Readiness
  let executor: BlockingExecutor

  /// Adds the routes.
  func add(to routes: RouteBuilder, _ router: Router<ServerContext>) {
    routes.get("/healthz", router) { _ in .text("ok\n") }
    routes.get("/readyz", router) { _ in
      readiness.isReady
        ? .text("ready\n")
        : Problem(
          .serviceUnavailable, "not_ready", "The server is starting or stopping.", retryAfter: 5
        )
        .answer
    }
    routes.get("/metrics", router) { _ in
      let statistics = try await statistics()
      return .text(metricsText(statistics), type: PrometheusText.mediaType)
    }
    routes.get("/stats", router) { _ in
      try json(ServerStatistics(of: self, try await statistics()))
    }
  }

  private func statistics() async throws -> CacheStatistics {
    try await executor.run {
      hot.tell(cache)
      return cache.statistics()
    }
  }

  private func json(_ value: some Encodable) throws -> Answer {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return .text(
      String(decoding: try encoder.encode(value), as: UTF8.self) + "\n", type: "application/json")
  }

  private func metricsText(_ disk: CacheStatistics) -> String {
    let reading = metrics.reading
    let memory = hot.statistics
    var text = PrometheusText()
    text.metric("imgcache_requests_total", .counter, "Answers by route and status.")
    for route in ServerMetrics.Route.allCases {
      for (code, count) in reading.statuses(of: route) {
        text.sample(
          "imgcache_requests_total", [("route", "\(route)"), ("code", "\(code)")], count)
      }
    }
    text.metric(
      "imgcache_request_duration_seconds", .histogram,
      "From a request's head to the end of its answer.")
    for route in ServerMetrics.Route.allCases {
      text.histogram(
        "imgcache_request_duration_seconds", [("route", "\(route)")],
        reading.durations[route.rawValue])
    }
    text.metric(
      "imgcache_stage_duration_seconds", .histogram, "Stages of loads, where they were entered.")
    for (stage, histogram) in reading.stages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      text.histogram("imgcache_stage_duration_seconds", [("stage", stage.rawValue)], histogram)
    }
    text.metric(
      "imgcache_answers_total", .counter, "Answers with a picture, by where it came from.")
    for tier in ServerMetrics.Tier.allCases where tier != .none {
      text.sample(
        "imgcache_answers_total", [("source", "\(tier)")], reading.tiers[tier.rawValue])
    }
    text.metric("imgcache_cache_hits_total", .counter, "Look-ups that found something, by tier.")
    text.sample("imgcache_cache_hits_total", [("tier", "memory")], memory.hitCount)
    text.sample("imgcache_cache_hits_total", [("tier", "disk")], disk.lastRun[.diskHits] ?? 0)
    text.metric("imgcache_cache_misses_total", .counter, "Look-ups that found nothing, by tier.")
    text.sample("imgcache_cache_misses_total", [("tier", "memory")], memory.missCount)
    text.sample("imgcache_cache_misses_total", [("tier", "disk")], disk.lastRun[.diskMisses] ?? 0)
    text.metric(
      "imgcache_cache_evictions_total", .counter, "Entries that went for want of room, by tier.")
    text.sample("imgcache_cache_evictions_total", [("tier", "memory")], memory.evictionCount)
    text.sample("imgcache_cache_evictions_total", [("tier", "disk")], disk.lastRun[.evictions] ?? 0)
    text.metric("imgcache_cache_bytes", .gauge, "Bytes kept, by tier.")
    text.sample("imgcache_cache_bytes", [("tier", "memory")], hot.byteCount)
    text.sample("imgcache_cache_bytes", [("tier", "disk")], disk.byteCount)
    text.metric(
      "imgcache_collapsed_total", .counter, "Requests that shared the work of another one.")
    text.sample("imgcache_collapsed_total", reading.collapsed)
    text.metric("imgcache_in_flight", .gauge, "Requests that are not answered yet.")
    text.sample("imgcache_in_flight", reading.inFlight)
    text.metric("imgcache_connections", .gauge, "Open connections.")
    text.sample("imgcache_connections", reading.connections)
    text.metric("imgcache_connections_refused_total", .counter, "Connections above the limit.")
    text.sample("imgcache_connections_refused_total", reading.refused)
    text.metric(
      "imgcache_accept_pauses_total", .counter,
      "Pauses in accepting connections for want of file descriptors.")
    text.sample("imgcache_accept_pauses_total", reading.pauses)
    text.metric("imgcache_queue_length", .gauge, "Work that waits for a place.")
    text.sample("imgcache_queue_length", [("queue", "decode")], decodes.pendingCount)
    text.sample("imgcache_queue_length", [("queue", "fetch")], pipeline.queuedFetchCount)
    text.metric("imgcache_running", .gauge, "Work under way.")
    text.sample("imgcache_running", [("queue", "decode")], decodes.runningCount)
    text.metric(
      "imgcache_bytes_in_flight", .gauge, "Bytes on their way from origins and to clients.")
    text.sample("imgcache_bytes_in_flight", governor.byteCountInFlight)
    text.metric("imgcache_sent_bytes_total", .counter, "Bytes of bodies sent.")
    text.sample("imgcache_sent_bytes_total", reading.bytesSent)
    return text.text
  }
}
