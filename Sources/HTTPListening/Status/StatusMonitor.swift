import DiskCaching
import HTTPListening
import ImageModel
import ImagePipeline
import LoadScheduling

/// Reads a server's counters every ten seconds, and keeps the last hour of them.
final class StatusMonitor: Sendable {
  private let operation: OperationRoutes
  private let began = ContinuousClock.now
  private let memoryLimit: Int
  private let history = Locked<StatusHistory?>(nil)

  init(_ operation: OperationRoutes, memoryLimit: Int) {
    self.operation = operation
    self.memoryLimit = memoryLimit
  }

  /// Reads until the task is cancelled. The first reading is made with ``sample()`` before the
  /// server has requests: what was counted before it is in no figure.
  func run() async {
    while (try? await Task.sleep(for: .seconds(StatusHistory.stepSeconds))) != nil {
      await sample()
    }
  }

  /// Reads once.
  func sample() async {
    let reading = self.reading(await operation.statistics())
    history.withLock { history in
      if history == nil { history = StatusHistory(reading) } else { history?.add(reading) }
    }
  }

  /// The status now.
  ///
  /// - Parameter time: The time in Unix seconds.
  func status(at time: Int) async -> ServerStatus {
    let disk = await operation.statistics()
    var reading = self.reading(disk)
    // The request that asks.
    reading.load.inFlight = max(0, reading.load.inFlight - 1)
    let history = self.history.withLock { $0 } ?? StatusHistory(reading)
    var status = ServerStatus()
    status.time = time
    status.uptimeSeconds = history.age(at: reading)
    status.now = history.figures(ofLast: 60, until: reading)
    status.hour = history.figures(ofLast: 3600, until: reading)
    status.load = reading.load
    let memory = operation.memory.cache
    status.memory = .init(entries: memory.count, bytes: memory.byteCount, limit: memoryLimit)
    status.disk = .init(
      entries: disk.entryCount, bytes: disk.countedByteCount, limit: disk.maximumByteCount)
    if let tier = operation.pipeline.configuration.sharedTier {
      let counts = history.counts(ofLast: 3600, until: reading)
      status.shared = .init(
        isSuspended: tier.isSuspended, hits: counts[.tierHits], misses: counts[.tierMisses],
        errors: counts[.tierErrors])
    }
    status.history = history.points(until: reading)
    return status
  }

  private func reading(_ disk: CacheStatistics) -> StatusHistory.Reading {
    var reading = StatusHistory.Reading(seconds: (ContinuousClock.now - began) / .seconds(1))
    let metrics = operation.metrics
    for route in ThumbnailRoute.allCases where !route.isForOperators {
      for (status, count) in metrics.statuses(of: route) {
        reading.counts[.requests] += count
        if (400..<500).contains(status) { reading.counts[.clientErrors] += count }
        if status >= 500 { reading.counts[.serverErrors] += count }
      }
    }
    reading.counts[.sentBytes] = metrics.clientByteCount
    let sources: KeyValuePairs<StatusCounts.Event, ServerMetrics.Tier> = [
      .memory: .memory, .disk: .disk, .shared: .shared, .stale: .stale, .miss: .miss,
      .placeholder: .placeholder,
    ]
    for (event, tier) in sources { reading.counts[event] = metrics.count(of: tier) }
    reading.counts[.memoryEvictions] = operation.memory.cache.statistics.evictionCount
    reading.counts[.diskEvictions] = disk.lastRun[.evictions] ?? 0
    for route in [ThumbnailRoute.thumb, .image] {
      reading.counts.durations.add(metrics.durations(of: route))
    }
    if let tier = operation.pipeline.configuration.sharedTier?.statistics {
      reading.counts[.tierHits] = tier.hits
      reading.counts[.tierMisses] = tier.misses
      reading.counts[.tierErrors] = tier.errors
    }
    reading.load = .init(
      inFlight: metrics.inFlightCount, connections: metrics.connections.servedCount,
      decodesRunning: operation.decodes.runningCount,
      decodesWaiting: operation.decodes.pendingCount,
      fetchesWaiting: operation.pipeline.queuedFetchCount,
      bytesInFlight: operation.governor.byteCountInFlight)
    return reading
  }
}
