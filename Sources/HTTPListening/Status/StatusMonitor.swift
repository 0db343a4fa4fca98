import DiskCaching
import HTTPCaching
import ImageModel

final class StatusMonitor: Sendable {
  private let metrics: ServerMetrics
  private let read: @Sendable () async -> ServerReading
  private let began = ContinuousClock.now
  private let history = Locked<StatusHistory?>(nil)

  init(_ metrics: ServerMetrics, read: @escaping @Sendable () async -> ServerReading) {
    self.metrics = metrics
    self.read = read
  }

  /// Reads until the task is cancelled. The first reading is made with ``sample()`` before the
  /// server has requests: what was counted before it is in no figure.
  func run() async {
    while (try? await Task.sleep(for: .seconds(StatusHistory.stepSeconds))) != nil {
      await sample()
    }
  }

  func sample() async {
    let reading = reading(await read())
    history.withLock { history in
      if history == nil { history = StatusHistory(reading) } else { history?.add(reading) }
    }
  }

  func status(at time: Int) async -> ServerStatus {
    let server = await read()
    var reading = reading(server)
    // The request that asks.
    reading.load.inFlight = max(0, reading.load.inFlight - 1)
    let history = self.history.withLock { $0 } ?? StatusHistory(reading)
    var status = ServerStatus()
    status.time = time
    status.uptimeSeconds = history.age(at: reading)
    status.now = history.figures(ofLast: 60, until: reading)
    status.hour = history.figures(ofLast: 3600, until: reading)
    status.load = reading.load
    status.memory = server.memory.map {
      .init(entries: $0.entryCount, bytes: $0.byteCount, limit: $0.maximumByteCount)
    }
    status.disk = server.disk.map {
      .init(entries: $0.entryCount, bytes: $0.countedByteCount, limit: $0.maximumByteCount)
    }
    if let tier = server.tier {
      status.shared = history.counts(ofLast: 3600, until: reading).tier
      status.shared?.isSuspended = tier.isSuspended
    }
    status.history = history.points(until: reading)
    return status
  }

  private func reading(_ server: ServerReading) -> StatusHistory.Reading {
    var reading = StatusHistory.Reading(seconds: (ContinuousClock.now - began) / .seconds(1))
    var figures = ServerStatus.Figures()
    let requests = metrics.requests
    for route in metrics.routes where !route.isForOperators {
      for (status, count) in requests.statuses(of: route) {
        figures.requests += count
        if (400..<500).contains(status) { figures.clientErrors += count }
        if status >= 500 { figures.serverErrors += count }
      }
    }
    for route in metrics.routes where route.isContent {
      reading.counts.durations.add(requests.durations[route.rawValue])
    }
    figures.bytesSent = requests.clientByteCount
    for source in metrics.sources { figures.answers["\(source)"] = requests.count(of: source) }
    figures.memoryEvictions = server.memory?.evictionCount ?? 0
    figures.diskEvictions = server.disk?.lastRun[.evictions] ?? 0
    reading.counts.figures = figures
    if let tier = server.tier?.statistics {
      reading.counts.tier = .init(hits: tier.hits, misses: tier.misses, errors: tier.errors)
    }
    func byName(_ counts: KeyValuePairs<String, Int>) -> [String: Int] {
      Dictionary(counts.map { ($0.key, $0.value) }) { $0 + $1 }
    }
    reading.load = .init(
      inFlight: requests.inFlightCount, connections: metrics.connections.servedCount,
      running: byName(server.running), waiting: byName(server.waiting),
      bytesInFlight: server.byteCountInFlight)
    return reading
  }
}
