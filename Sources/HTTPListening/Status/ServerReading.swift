public import DiskCaching
public import HTTPCaching
import TextEncodings

/// What a server knows of its state at a moment, besides what its front counts: for `/metrics`,
/// `/stats` and `/status`.
public struct ServerReading: Sendable {
  /// A cache in memory.
  public struct Memory: Sendable {
    /// Entries.
    public var entryCount = 0
    /// Their bytes.
    public var byteCount = 0
    /// The most bytes that it may hold.
    public var maximumByteCount = 0
    /// Look-ups that found an entry; `nil` if they are not counted.
    public var hitCount: Int?
    /// Those that found none.
    public var missCount: Int?
    /// Entries evicted to make room.
    public var evictionCount = 0

    /// Nothing at all.
    public init() {}
  }

  /// The cache in memory; `nil` without one.
  public var memory: Memory?
  /// The cache on disk; `nil` without one.
  public var disk: CacheStatistics?
  /// The cache of several servers; `nil` without one.
  public var tier: (any SharedResponseTier)?
  /// Work in progress, by the name of its queue.
  public var running: KeyValuePairs<String, Int> = [:]
  /// Work that waits for a slot, by the name of its queue.
  public var waiting: KeyValuePairs<String, Int> = [:]
  /// Bytes in transfer, from origins and to clients; `nil` if they are not counted.
  public var byteCountInFlight: Int?

  /// Nothing at all.
  public init() {}
}

// MARK: Metrics

extension ServerReading {
  func write(to text: inout PrometheusText) {
    func byTier(
      _ name: String, _ kind: PrometheusText.Kind, _ help: String, _ memory: Int?, _ disk: Int?
    ) {
      guard memory != nil || disk != nil else { return }
      text.metric(name, kind, help)
      if let memory { text.sample(name, [("tier", "memory")], memory) }
      if let disk { text.sample(name, [("tier", "disk")], disk) }
    }
    byTier(
      "imgcache_cache_hits_total", .counter, "Cache hits, by tier.", memory?.hitCount,
      disk.map { $0.lastRun[.diskHits] ?? 0 })
    byTier(
      "imgcache_cache_misses_total", .counter, "Cache misses, by tier.", memory?.missCount,
      disk.map { $0.lastRun[.diskMisses] ?? 0 })
    byTier(
      "imgcache_cache_evictions_total", .counter, "Entries evicted to make room, by tier.",
      memory?.evictionCount, disk.map { $0.lastRun[.evictions] ?? 0 })
    byTier(
      "imgcache_cache_refusals_total", .counter,
      "Images not stored, as worth less than what they would have evicted.", nil,
      disk.map { $0.lastRun[.refusals] ?? 0 })
    byTier(
      "imgcache_cache_bytes", .gauge, "Bytes cached, by tier.", memory?.byteCount, disk?.byteCount)
    byTier(
      "imgcache_cache_entries", .gauge, "Entries cached, by tier.", memory?.entryCount,
      disk?.entryCount)
    text.metric(
      "imgcache_queue_length", .gauge, "Work that waits for a slot.", by: "queue", waiting)
    text.metric("imgcache_running", .gauge, "Work in progress.", by: "queue", running)
    if let byteCountInFlight {
      text.metric(
        "imgcache_bytes_in_flight", .gauge,
        "Bytes in transfer, from origins and to clients.", byteCountInFlight)
    }
    if let tier { Self.write(tier, to: &text) }
  }

  private static func write(_ tier: any SharedResponseTier, to text: inout PrometheusText) {
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
    for (name, help, value) in [
      ("openings", "Suspensions of the shared tier after failures.", statistics.openings),
      ("lock_waits", "Loads that waited for another server's.", statistics.lockWaits),
      ("damaged", "Damaged values of the shared tier.", statistics.damages),
      ("purges", "Purges received from other servers.", statistics.receivedPurges),
    ] {
      text.metric("imgcache_shared_tier_\(name)_total", .counter, help, value)
    }
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
      "imgcache_shared_tier_bytes_total", .counter, "Bytes of values of the shared tier.",
      by: "direction", ["read": statistics.readByteCount, "written": statistics.writtenByteCount])
  }
}

// MARK: Statistics

extension ServerReading {
  /// The object of `GET /stats`, with the keys of `imgcache stats --json` where those have one.
  func statistics(_ metrics: ServerMetrics) -> JSONLine {
    var members: [(String, (any JSONValue)?)] = []
    if let disk {
      members += [
        ("entries", disk.entryCount), ("bytes", disk.byteCount), ("limit", disk.maximumByteCount),
        ("documents", disk.documentCount), ("negative", disk.negativeCount),
        ("pinned", disk.pinnedCount), ("total", Self.json(disk.total)),
        ("last_run", Self.json(disk.lastRun)),
      ]
    }
    if let memory {
      let object: JSONLine = [
        "entries": memory.entryCount, "bytes": memory.byteCount, "hits": memory.hitCount,
        "misses": memory.missCount, "evictions": memory.evictionCount,
      ]
      members.append(("memory", object))
    }
    members.append(("server", Self.json(metrics)))
    return JSONLine(members: members)
  }

  private static func json(_ counters: [CacheCounter: Int]) -> JSONLine {
    JSONLine(members: CacheCounter.allCases.map { ($0.rawValue, counters[$0] ?? 0) })
  }

  private static func json(_ metrics: ServerMetrics) -> JSONLine {
    let requests = metrics.requests
    let statuses = requests.statuses()
    var members: [(String, (any JSONValue)?)] = [
      ("requests", statuses.values.reduce(0, +)),
      ("errors", statuses.filter { $0.key >= 400 }.values.reduce(0, +)),
    ]
    members += metrics.sources.map { (name(of: $0), requests.count(of: $0)) }
    members += [
      ("collapsed", metrics.registry.counter(ServerMetrics.collapsed).value),
      ("in_flight", requests.inFlightCount), ("connections", metrics.connections.servedCount),
      ("bytes_sent", requests.sentByteCount),
    ]
    for route in metrics.routes where route.isContent {
      let durations = requests.durations[route.rawValue]
      members += [
        ("\(route)_p50_seconds".lowercased(), durations.quantile(0.5)),
        ("\(route)_p99_seconds".lowercased(), durations.quantile(0.99)),
      ]
    }
    return JSONLine(members: members)
  }

  private static func name(of source: ServerMetrics.Source) -> String {
    switch source {
    case .none, .stale, .revalidated: "\(source)"
    case .memory, .disk, .shared: "\(source)_hits"
    case .hit, .placeholder: "\(source)s"
    case .miss: "misses"
    case .pass: "passed"
    }
  }
}
