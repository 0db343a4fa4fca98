package import ImageModel

/// Sets the limits of hosts in a queue by how their exchanges went.
package final class HostLimiter: Sendable {
  private struct Hosts {
    /// Those that complained lately.
    var backoffs: [String: HostBackoff] = [:]
    /// Those with HTTP/2.
    var multiplexed = Set<String>()
  }

  private let queue: JobQueue
  private let maximum: Int
  private let maximumStreams: Int
  private let clock: QueueClock
  private let hosts = Locked(Hosts())

  /// - Parameters:
  ///   - maximum: The limit of a host, which is that of the queue.
  ///   - maximumStreams: That of a host with HTTP/2, whose exchanges share a connection. Default:
  ///     the same.
  package init(
    queue: JobQueue, maximum: Int, maximumStreams: Int? = nil, clock: QueueClock = QueueClock()
  ) {
    self.queue = queue
    self.maximum = maximum
    self.maximumStreams = maximumStreams ?? maximum
    self.clock = clock
  }

  package var count: Int { hosts.withLock { $0.backoffs.count + $0.multiplexed.count } }

  /// How much longer a host is held; `nil` for one that is not.
  package func pause(of host: String) -> Duration? {
    let now = clock.now()
    guard let end = hosts.withLock({ $0.backoffs[host]?.heldUntil }), end > now else { return nil }
    return end - now
  }

  /// The maximum number of hosts remembered; a redirect may lead to any number of them.
  package static let maximumCount = 1024

  /// Notes how an exchange with a host ended.
  package func record(_ host: String, _ error: ImageError?) {
    if error == nil, hosts.withLock({ $0.backoffs.isEmpty }) { return }
    let now = clock.now()
    let hold = hosts.withLock { hosts -> Duration? in
      let isComplaint = error.map(HostBackoff.isComplaint) ?? false
      let known = hosts.backoffs[host]
      guard
        var backoff = known
          ?? (isComplaint ? HostBackoff(maximum: maximum(of: host, hosts)) : nil)
      else { return nil }
      if known == nil, hosts.backoffs.count >= Self.maximumCount { forget(at: now, &hosts) }
      let heldBefore = backoff.heldUntil
      if let error { backoff.failed(error, now: now) } else { backoff.succeeded() }
      apply(backoff, to: host, at: now, &hosts)
      return backoff.heldUntil == heldBefore ? nil : backoff.heldUntil
    }
    guard let hold else { return }
    Task { [weak self, clock] in
      try await clock.sleep(hold - now)
      guard let self else { return }
      let now = clock.now()
      hosts.withLock { hosts in
        if let backoff = hosts.backoffs[host] { self.apply(backoff, to: host, at: now, &hosts) }
      }
    }
  }

  /// Notes whether a host speaks HTTP/2.
  package func learn(_ host: String, isMultiplexed: Bool) {
    guard maximumStreams != maximum else { return }
    hosts.withLock { hosts in
      guard hosts.multiplexed.contains(host) != isMultiplexed else { return }
      if isMultiplexed {
        if hosts.multiplexed.count >= Self.maximumCount, let other = hosts.multiplexed.popFirst() {
          limitChanged(of: other, &hosts)
        }
        hosts.multiplexed.insert(host)
      } else {
        hosts.multiplexed.remove(host)
      }
      limitChanged(of: host, &hosts)
    }
  }

  private func limitChanged(of host: String, _ hosts: inout Hosts) {
    if var backoff = hosts.backoffs[host] {
      backoff.setMaximum(maximum(of: host, hosts))
      apply(backoff, to: host, at: clock.now(), &hosts)
    } else {
      queue.setLimit(ownMaximum(of: host, hosts), for: host)
    }
  }

  /// The limit of a host that does not complain.
  private func maximum(of host: String, _ hosts: Hosts) -> Int {
    ownMaximum(of: host, hosts) ?? maximum
  }

  /// The same; `nil` for the one that all hosts have.
  private func ownMaximum(of host: String, _ hosts: Hosts) -> Int? {
    hosts.multiplexed.contains(host) ? maximumStreams : nil
  }

  /// Makes room for another host: forgets those that are not held, or else any one.
  private func forget(at now: Duration, _ hosts: inout Hosts) {
    let backoffs = hosts.backoffs
    var forgotten = backoffs.filter { $0.value.heldUntil.map { $0 <= now } ?? true }.map(\.key)
    if forgotten.isEmpty { forgotten = backoffs.keys.prefix(1).map { $0 } }
    for host in forgotten {
      hosts.backoffs[host] = nil
      queue.setLimit(ownMaximum(of: host, hosts), for: host)
    }
  }

  private func apply(
    _ backoff: HostBackoff, to host: String, at now: Duration, _ hosts: inout Hosts
  ) {
    var backoff = backoff
    let limit = backoff.limit(at: now)
    hosts.backoffs[host] = backoff.isForgettable ? nil : backoff
    queue.setLimit(backoff.isForgettable ? ownMaximum(of: host, hosts) : limit, for: host)
  }
}
