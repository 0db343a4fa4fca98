import DiskCaching
import HTTPListening

/// The object of `GET /stats`, with the keys of `imgcache stats --json` where those have one; its
/// names are written in snake case.
struct ServerStatistics: Encodable {
  struct Server: Encodable {
    let requests: Int
    let errors: Int
    let memoryHits: Int
    let diskHits: Int
    let sharedHits: Int
    let misses: Int
    let stale: Int
    let placeholders: Int
    let collapsed: Int
    let inFlight: Int
    let connections: Int
    let bytesSent: Int
    let thumbP50Seconds: Double?
    let thumbP99Seconds: Double?
  }
  struct Memory: Encodable {
    let entries: Int
    let bytes: Int
    let hits: Int
    let misses: Int
    let evictions: Int
  }

  let entries: Int
  let bytes: Int
  let limit: Int
  let documents: Int
  let negative: Int
  let pinned: Int
  let total: [String: Int]
  let lastRun: [String: Int]
  let memory: Memory
  let server: Server

  init(of operation: OperationRoutes, _ disk: CacheStatistics) {
    entries = disk.entryCount
    bytes = disk.byteCount
    limit = disk.maximumByteCount
    documents = disk.documentCount
    negative = disk.negativeCount
    pinned = disk.pinnedCount
    func named(_ counters: [CacheCounter: Int]) -> [String: Int] {
      Dictionary(
        uniqueKeysWithValues: CacheCounter.allCases.map { ($0.rawValue, counters[$0] ?? 0) })
    }
    total = named(disk.total)
    lastRun = named(disk.lastRun)
    let memory = operation.memory.cache.statistics
    self.memory = Memory(
      entries: operation.memory.cache.count, bytes: operation.memory.cache.byteCount,
      hits: memory.hitCount,
      misses: memory.missCount, evictions: memory.evictionCount)
    let metrics = operation.metrics
    let statuses = metrics.statuses()
    let thumbs = metrics.durations(of: ThumbnailRoute.thumb)
    server = Server(
      requests: statuses.values.reduce(0, +),
      errors: statuses.filter { $0.key >= 400 }.values.reduce(0, +),
      memoryHits: metrics.count(of: .memory), diskHits: metrics.count(of: .disk),
      sharedHits: metrics.count(of: .shared),
      misses: metrics.count(of: .miss), stale: metrics.count(of: .stale),
      placeholders: metrics.count(of: .placeholder),
      collapsed: metrics.registry.counter("imgcache_collapsed_total").value,
      inFlight: metrics.inFlightCount, connections: metrics.connections.servedCount,
      bytesSent: metrics.sentByteCount, thumbP50Seconds: thumbs.quantile(0.5),
      thumbP99Seconds: thumbs.quantile(0.99))
  }
}
