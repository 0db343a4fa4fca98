/// Decides which job runs next: a pure value without thread, clock or task.
///
/// Jobs run in order of priority, first come first served inside one priority, under three limits:
/// in all, for each host, and for prefetching, which never occupies the slots reserved for the
/// foreground.
struct JobSchedule {
  typealias ID = UInt64

  private struct Running {
    var priority: LoadPriority
    let host: String?
  }
  private struct HostState {
    var runningCount = 0
    var limit: Int?
    /// Jobs that reached the head of the line while the host was full.
    var parked = PriorityFIFO<String?>()
    var isForgettable: Bool { runningCount == 0 && limit == nil && parked.isEmpty }
  }

  private let maximumRunning: Int
  /// The limit of one host, unless ``setLimit(_:for:)`` has set another.
  private let maximumPerHost: Int
  /// Slots of ``maximumRunning`` that jobs of priority `prefetch` never take.
  private let reservedForForeground: Int

  private var line = PriorityFIFO<String?>()
  private var running: [ID: Running] = [:]
  private var prefetchingCount = 0
  private var hosts: [String: HostState] = [:]
  private var parkedCount = 0

  init(maximumRunning: Int, maximumPerHost: Int = .max, reservedForForeground: Int = 0) {
    self.maximumRunning = maximumRunning
    self.maximumPerHost = maximumPerHost
    self.reservedForForeground = reservedForForeground
  }

  var pendingCount: Int { line.count + parkedCount }
  var runningCount: Int { running.count }

  mutating func add(_ id: ID, priority: LoadPriority, host: String?) {
    line.insert(host, id: id, priority: priority)
  }

  /// Starts a new job at once, which counts as running then, where it has to wait for nothing.
  mutating func begin(_ id: ID, priority: LoadPriority, host: String?) -> Bool {
    guard pendingCount == 0, running.count < maximumRunning,
      priority != .prefetch || prefetchingCount < maximumRunning - reservedForForeground
    else { return false }
    if let host {
      var state = hosts[host] ?? HostState()
      guard state.runningCount < limit(of: state) else { return false }
      state.runningCount += 1
      hosts[host] = state
    }
    run(id, priority, host)
    return true
  }

  private mutating func run(_ id: ID, _ priority: LoadPriority, _ host: String?) {
    running[id] = Running(priority: priority, host: host)
    if priority == .prefetch { prefetchingCount += 1 }
  }

  /// The job to start now, which counts as running from here on; `nil` when none may start.
  mutating func next() -> ID? {
    while running.count < maximumRunning, let priority = line.firstPriority() {
      if priority == .prefetch, prefetchingCount >= maximumRunning - reservedForForeground {
        return nil
      }
      guard let (id, host, priority, place) = line.popFirst() else { return nil }
      if let host {
        var state = hosts[host, default: HostState()]
        let isFull = state.runningCount >= limit(of: state)
        if isFull {
          state.parked.insert(host, id: id, priority: priority, at: place)
          parkedCount += 1
        } else {
          state.runningCount += 1
        }
        hosts[host] = state
        if isFull { continue }
      }
      run(id, priority, host)
      return id
    }
    return nil
  }

  mutating func finish(_ id: ID) {
    guard let job = running.removeValue(forKey: id) else { return }
    if job.priority == .prefetch { prefetchingCount -= 1 }
    if let host = job.host { update(host) { $0.runningCount -= 1 } }
  }

  /// Takes a waiting job out. Returns whether it was waiting; a running one is left alone.
  mutating func cancel(_ id: ID, host: String?) -> Bool {
    if line.remove(id) != nil { return true }
    guard let host, hosts[host]?.parked.remove(id) != nil else { return false }
    parkedCount -= 1
    if hosts[host]?.isForgettable == true { hosts[host] = nil }
    return true
  }

  mutating func setPriority(_ priority: LoadPriority, of id: ID, host: String?) {
    if let old = running[id]?.priority {
      prefetchingCount += (priority == .prefetch ? 1 : 0) - (old == .prefetch ? 1 : 0)
      running[id]?.priority = priority
    } else if line.contains(id) {
      line.move(id, to: priority)
    } else if let host, let old = hosts[host]?.parked.priority(of: id) {
      // Back into the line, whose order alone counts; it is parked again if the host is still full.
      hosts[host]?.parked.remove(id)
      parkedCount -= 1
      line.insert(host, id: id, priority: old)
      line.move(id, to: priority)
    }
  }

  mutating func setLimit(_ limit: Int?, for host: String) {
    update(host) { $0.limit = limit }
  }

  private func limit(of state: HostState) -> Int { state.limit ?? maximumPerHost }

  /// Changes the state of a host, and puts parked jobs back into the line for which it has room.
  private mutating func update(_ host: String, _ change: (inout HostState) -> Void) {
    var state = hosts.removeValue(forKey: host) ?? HostState()
    change(&state)
    for _ in 0..<max(0, min(limit(of: state) - state.runningCount, state.parked.count)) {
      guard let (id, _, priority, place) = state.parked.popFirst() else { break }
      line.insert(host, id: id, priority: priority, at: place)
      parkedCount -= 1
    }
    if !state.isForgettable { hosts[host] = state }
  }
}
