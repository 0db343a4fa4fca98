package import ImageModel

package final class HostLimiter: Sendable {
  private let queue: JobQueue
  private let maximum: Int
  private let clock: QueueClock
  private let hosts = Locked<[String: HostBackoff]>([:])

  package init(queue: JobQueue, maximum: Int, clock: QueueClock = QueueClock()) {
    self.queue = queue
    self.maximum = maximum
    self.clock = clock
  }

  package var count: Int { hosts.withLock { $0.count } }

  /// How much longer a host is held; `nil` for one that is not.
  package func pause(of host: String) -> Duration? {
    let now = clock.now()
    guard let end = hosts.withLock({ $0[host]?.heldUntil }), end > now else { return nil }
    return end - now
  }

  /// The maximum number of hosts remembered; a redirect may lead to any number of them.
  package static let maximumCount = 1024

  package func record(_ host: String, _ error: ImageError?) {
    if error == nil, hosts.withLock({ $0.isEmpty }) { return }
    let now = clock.now()
    let hold = hosts.withLock { hosts -> Duration? in
      let isComplaint = error.map(HostBackoff.isComplaint) ?? false
      guard var backoff = hosts[host] ?? (isComplaint ? HostBackoff(maximum: maximum) : nil) else {
        return nil
      }
      if hosts[host] == nil, hosts.count >= Self.maximumCount { forget(at: now, &hosts) }
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
        if let backoff = hosts[host] { self.apply(backoff, to: host, at: now, &hosts) }
      }
    }
  }

  /// Makes room for another host: forgets those that are not held, or else any one.
  private func forget(at now: Duration, _ hosts: inout [String: HostBackoff]) {
    var forgotten = hosts.filter { $0.value.heldUntil.map { $0 <= now } ?? true }.map(\.key)
    if forgotten.isEmpty { forgotten = hosts.keys.prefix(1).map { $0 } }
    for host in forgotten {
      hosts[host] = nil
      queue.setLimit(nil, for: host)
    }
  }

  private func apply(
    _ backoff: HostBackoff, to host: String, at now: Duration, _ hosts: inout [String: HostBackoff]
  ) {
    var backoff = backoff
    let limit = backoff.limit(at: now)
    hosts[host] = backoff.isForgettable ? nil : backoff
    queue.setLimit(backoff.isForgettable ? nil : limit, for: host)
  }
}
