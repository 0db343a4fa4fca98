public import ImageModel

/// One budget of memory for everything that a pipeline holds: images, encoded bytes, frames of
/// animations, and bodies in flight.
///
/// Once a second, and after large changes, it reads what every holder holds and how short of memory
/// the system is, and sets their limits again: together they never exceed the budget. Bodies in
/// flight are not refused; the other holders get less for as long as the transfers last.
public final class MemoryGovernor: Sendable {
  /// Bytes reserved for something in flight; released with the last reference.
  public final class Reservation: Sendable {
    private let governor: MemoryGovernor
    private let byteCount: Locked<Int>

    fileprivate init(_ governor: MemoryGovernor, byteCount: Int) {
      self.governor = governor
      self.byteCount = Locked(byteCount)
    }

    /// Reserves more, or releases some.
    public func setByteCount(_ count: Int) {
      let change = byteCount.withLock { held in
        defer { held = max(0, count) }
        return max(0, count) - held
      }
      governor.add(change)
    }

    deinit { governor.add(-byteCount.withLock { $0 }) }
  }

  private struct Share {
    weak var holder: (any MemoryConsuming)?
    let weight: Double
  }

  private struct State {
    var shares: [Share] = []
    var inFlight = 0
    var inFlightThen = 0
    /// By the last reading.
    var budgetShare = 1.0
    var watch: Task<Void, Never>?
  }

  let budget: Int
  private let maximumInFlight: Int
  private let probe: @Sendable () -> MemoryReading
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state = Locked(State())

  /// Creates a governor.
  ///
  /// - Parameters:
  ///   - budget: Bytes to split. Default: a quarter of what the process may use (its control
  ///     group's limit, or the machine's memory), at most 512 MiB.
  ///   - maximumInFlight: Bytes in flight beyond which ``admit(_:)`` refuses. Default: no limit.
  public convenience init(budget: Int? = nil, maximumInFlight: Int = .max) {
    self.init(budget: budget, maximumInFlight: maximumInFlight, probe: MemoryReading.current)
  }

  init(
    budget: Int?, maximumInFlight: Int = .max,
    sleep: @escaping @Sendable (Duration) async throws -> Void = {
      try await Task.sleep(for: $0.bounded)
    }, probe: @escaping @Sendable () -> MemoryReading
  ) {
    self.maximumInFlight = maximumInFlight
    self.budget = max(0, budget ?? probe().budget)
    self.probe = probe
    self.sleep = sleep
  }

  deinit { state.withLock { $0.watch?.cancel() } }

  /// Adds a holder, for as long as it exists; the governor sets its limit from now on.
  ///
  /// `weight` is its part, relative to the others'; more than 0.
  public func add(_ holder: some MemoryConsuming, weight: Double = 1) {
    state.withLock { $0.shares.append(Share(holder: holder, weight: weight)) }
    rebalance()
  }

  /// Reserves bytes for something in flight, unless the limit is reached already; something larger
  /// than the limit is admitted when nothing else is in flight.
  ///
  /// - Throws: `ImageError` with code `saturated`.
  public func admit(_ byteCount: Int) throws(ImageError) -> Reservation {
    let isAdmitted = state.withLock { state in
      guard state.inFlight < maximumInFlight else { return false }
      state.inFlight += max(0, byteCount)
      return true
    }
    guard isAdmitted else {
      throw ImageError(
        .saturated, "too busy: \(maximumInFlight) bytes are on their way", retryAfter: .seconds(1))
    }
    shareWhenMuchChanged()
    return Reservation(self, byteCount: max(0, byteCount))
  }

  /// Reserves bytes for something in flight.
  public func reserve(_ byteCount: Int) -> Reservation {
    add(max(0, byteCount))
    return Reservation(self, byteCount: max(0, byteCount))
  }

  /// The bytes reserved for what is in flight.
  public var byteCountInFlight: Int { state.withLock { $0.inFlight } }

  /// Reads the system's figures and sets every holder's limit.
  func rebalance() {
    let budgetShare = probe().budgetShare
    state.withLock { $0.budgetShare = budgetShare }
    share()
  }

  /// Sets every holder's limit by the last reading: bodies come and go too often for one each.
  private func share() {
    let (shares, inFlight, budgetShare) = state.withLock { state in
      state.inFlightThen = state.inFlight
      state.shares.removeAll { $0.holder == nil }
      return (state.shares, state.inFlight, state.budgetShare)
    }
    let present = shares.compactMap { share in share.holder.map { ($0, share.weight) } }
    let limits = MemoryPlan.limits(
      budget: budget, share: budgetShare, inFlight: inFlight,
      holders: present.map { (weight: $1, byteCount: $0.byteCount) })
    // Holders that must shrink come first, so that the sum stays within the budget throughout.
    let order = present.indices.sorted {
      limits[$0] - present[$0].0.byteCount < limits[$1] - present[$1].0.byteCount
    }
    for index in order { present[index].0.setMaximumByteCount(limits[index]) }
  }

  /// Rebalances once a second from now on, for as long as the governor exists.
  package func startWatching() {
    let watch = Task { [weak self, sleep] in
      while (try? await sleep(.seconds(1))) != nil, let self { self.rebalance() }
    }
    state.withLock { state in
      state.watch?.cancel()
      state.watch = watch
    }
  }

  private func add(_ change: Int) {
    state.withLock { $0.inFlight += change }
    shareWhenMuchChanged()
  }

  private func shareWhenMuchChanged() {
    let isMuch = state.withLock { abs($0.inFlight - $0.inFlightThen) > budget / 16 }
    if isMuch { share() }
  }
}
