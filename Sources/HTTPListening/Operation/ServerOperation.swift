import CachePolicies
import DiskCaching
import HTTPCaching
import HTTPListening
import ImagePipeline
import LoadScheduling
import Synchronization
import TextEncodings

/// The routes for operators: health, metrics, statistics. None of them waits for anything that
/// images wait for.
struct OperationRoutes: Sendable {
  let metrics: ServerMetrics
  let memory: ResponseMemory
  let governor: MemoryGovernor
  let decodes: DecodeGate
  let pipeline: ImagePipeline
  let cache: DiskCache
  let readiness: Readiness
  let executor: BlockingExecutor

  /// The meaning of the counters and histograms.
  private static let help = ServerMetrics.help.merging([
    "imgcache_purged_total": "Entries removed by request.",
    "imgcache_stage_duration_seconds": "Stages of loads.",
    "imgcache_collapsed_total": "Loads that shared the work of another one.",
    "imgcache_loads_total": "Loads of images by tier and outcome.",
    "imgcache_load_duration_seconds": "Duration of successful loads.",
    "imgcache_load_bytes_total": "Bytes of successful loads.",
    "imgcache_documents_total": "Loads of feed documents and story pages by tier and outcome.",
  ]) { $1 }

  /// Adds the routes.
  func add(to routes: inout RouteTable) {
    routes.get("/healthz") { _ in .text("ok\n") }
    routes.get("/readyz") { _ in
      readiness.isReady
        ? .text("ready\n")
        : Problem(
          .serviceUnavailable, "not_ready", "The server is starting or stopping.", retryAfter: 5
        )
        .answer
    }
    routes.get("/metrics") { request in
      let format = PrometheusText.Format(accept: request.fields[values: .accept])
      var answer = Answer.text(
        metricsText(await statistics(), as: format), type: format.mediaType)
      answer.fields[.vary] = "Accept"
      return answer
    }
    routes.get("/stats") { _ in
      try json(ServerStatistics(of: self, await statistics()))
    }
  }

  /// The contents and counts of the cache.
  func statistics() async -> CacheStatistics {
    memory.report(to: cache)
    // On the thread of these routes: those of the cache may be making images.
    return await withTaskExecutorPreference(executor) { await cache.statistics() }
  }

  private func json(_ value: some Encodable) throws -> Answer {
    .text(
      String(decoding: try JSONText.encoded(value, inSnakeCase: true), as: UTF8.self) + "\n",
      type: "application/json")
  }

  private func metricsText(
    _ disk: CacheStatistics, as format: PrometheusText.Format
  ) -> String {
    let hits = memory.cache.statistics
    var text = PrometheusText(format)
    metrics.registry.write(to: &text, help: Self.help)
    text.metric(
      "imgcache_cache_hits_total", .counter, "Cache hits, by tier.", by: "tier",
      ["memory": hits.hitCount, "disk": disk.lastRun[.diskHits] ?? 0])
    text.metric(
      "imgcache_cache_misses_total", .counter, "Cache misses, by tier.", by: "tier",
      ["memory": hits.missCount, "disk": disk.lastRun[.diskMisses] ?? 0])
    text.metric(
      "imgcache_cache_evictions_total", .counter, "Entries evicted to make room, by tier.",
      by: "tier", ["memory": hits.evictionCount, "disk": disk.lastRun[.evictions] ?? 0])
    text.metric(
      "imgcache_cache_bytes", .gauge, "Bytes cached, by tier.", by: "tier",
      ["memory": memory.cache.byteCount, "disk": disk.byteCount])
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
    text.metric(
      "imgcache_queue_length", .gauge, "Work that waits for a slot.", by: "queue",
      ["decode": decodes.pendingCount, "fetch": pipeline.queuedFetchCount])
    text.metric(
      "imgcache_running", .gauge, "Work in progress.", by: "queue",
      ["decode": decodes.runningCount])
    text.metric(
      "imgcache_bytes_in_flight", .gauge, "Bytes in transfer, from origins and to clients.",
      governor.byteCountInFlight)
    if let tier = pipeline.configuration.sharedTier { write(tier, to: &text) }
    return text.text
  }
}

extension OperationRoutes {
  private func write(_ tier: any SharedResponseTier, to text: inout PrometheusText) {
    let statistics = tier.statistics
    text.metric(
      "imgcache_shared_tier_operations_total", .counter,
      "Operations of the shared tier, by outcome; skipped while it is suspended after failures.",
      by: "outcome",
      [
        "hit": statistics.hits, "miss": statistics.misses, "error": statistics.errors,
        "skipped": statistics.skipped,
      ])
    text.metric(
      "imgcache_shared_tier_open", .gauge,
      "1 while the shared tier is suspended after failures.",
      tier.isSuspended ? 1 : 0)
    text.metric(
      "imgcache_shared_tier_openings_total", .counter,
      "Suspensions of the shared tier after failures.", statistics.openings)
    text.metric(
      "imgcache_shared_tier_lock_waits_total", .counter,
      "Loads that waited for another server's.", statistics.lockWaits)
    text.metric(
      "imgcache_shared_tier_writes_total", .counter, "Values for the shared tier, by outcome.",
      by: "outcome",
      [
        "written": statistics.writes, "dropped": statistics.droppedWrites,
        "failed": statistics.failedWrites,
      ])
    text.metric(
      "imgcache_shared_tier_objects_total", .counter,
      "Operations of the object store behind the shared tier, by outcome.", by: "outcome",
      [
        "read": statistics.objectReads, "written": statistics.objectWrites,
        "error": statistics.objectErrors,
      ])
    text.metric(
      "imgcache_shared_tier_damaged_total", .counter, "Damaged values of the shared tier.",
      statistics.damages)
    text.metric(
      "imgcache_shared_tier_purges_total", .counter, "Purges received from other servers.",
      statistics.receivedPurges)
    text.metric(
      "imgcache_shared_tier_bytes_total", .counter, "Bytes of values of the shared tier.",
      by: "direction", ["read": statistics.readByteCount, "written": statistics.writtenByteCount])
  }
}

/// Whether the server is ready for new clients.
final class Readiness: Sendable {
  private let value = Atomic(false)

  var isReady: Bool {
    get { value.load(ordering: .relaxed) }
    set { value.store(newValue, ordering: .relaxed) }
  }
}
