import CachePolicies
import HTTPListening
import ImagePipeline
import LoadScheduling

extension ThumbnailServer {
  static let help = [
    PurgeRequest.counter: "Entries removed by request.",
    "imgcache_stage_duration_seconds": "Stages of loads.",
    ServerMetrics.collapsed: "Loads that shared the work of another one.",
    "imgcache_loads_total": "Loads of images by tier and outcome.",
    "imgcache_load_duration_seconds": "Duration of successful loads.",
    "imgcache_load_bytes_total": "Bytes of successful loads.",
    "imgcache_documents_total": "Loads of feed documents and story pages by tier and outcome.",
  ]

  /// The state of the server; `limit` is the most bytes of responses in memory.
  static func reading(
    _ parts: Parts, _ responses: ResponseMemory, _ limit: Int
  ) async -> ServerReading {
    responses.report(to: parts.cache)
    var reading = ServerReading()
    reading.disk = await parts.cache.statistics()
    let hits = responses.cache.statistics
    var memory = ServerReading.Memory()
    (memory.entryCount, memory.byteCount) = (responses.cache.count, responses.cache.byteCount)
    memory.maximumByteCount = limit
    (memory.hitCount, memory.missCount) = (hits.hitCount, hits.missCount)
    memory.evictionCount = hits.evictionCount
    reading.memory = memory
    reading.tier = parts.pipeline.configuration.sharedTier
    reading.running = ["decode": parts.decodes.runningCount]
    reading.waiting = [
      "decode": parts.decodes.pendingCount, "fetch": parts.pipeline.queuedFetchCount,
    ]
    reading.byteCountInFlight = parts.governor.byteCountInFlight
    return reading
  }
}
