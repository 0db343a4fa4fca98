/// One budget of memory for everything that a pipeline holds: pictures, encoded bytes, frames of animations, and the
/// bodies that are on their way.
///
/// Once a second, and when much has come or gone, it looks at what everybody holds and at how short of memory the
/// system is, and sets their limits anew: together they never exceed the budget. Bodies on their way are not refused;
/// the others get less for as long as they last.
public final class MemoryGovernor: Sendable {
  /// What is taken for something on its way; given back with the last reference.
  public final class Reservation: Sendable {
    private let governor: MemoryGovernor
    private let byteCount: Locked<Int>

    fileprivate init(_ governor: MemoryGovernor, byteCount: Int) {
      self.governor = governor
      self.byteCount = Locked(byteCount)
    }

    /// Takes more, or gives some back.
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
    var pressure = MemoryPressure.none
    var watch: Task<Void, Never>?
  }

  /// Bytes that are shared out while the system has enough.
  public let budget: Int
  /// Bytes on their way beyond which ``admit(_:)`` turns away.
  public let maximumInFlight: Int
  private let probe: @Sendable () -> MemoryReading
  private let sleep: @Sendable (Duration) async throws -> Void
  private let state = Locked(State())

  /// Creates a governor.
  ///
  /// - Parameters:
  ///   - budget: Bytes to share out. Default: a quarter of what the process may use (its control group's bound, or
  ///     the machine's memory), at most 512 MiB.
  ///   - maximumInFlight: Bytes on their way beyond which ``admit(_:)`` turns away. Default: any number.
  public convenience init(budget: Int? = nil, maximumInFlight: Int = .max) {
    self.init(
      budget: budget, maximumInFlight: maximumInFlight, sleep: { try await Task.sleep(for: $0) },
      probe: MemoryProbe.read)
  }

  init(
    budget: Int?, maximumInFlight: Int = .max,
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    probe: @escaping @Sendable () -> MemoryReading
  ) {
    let most = 512 << 20
    self.maximumInFlight = maximumInFlight
    self.budget = max(0, budget ?? min(probe().limitByteCount.map { $0 / 4 } ?? most, most))
    self.probe = probe
    self.sleep = sleep
  }

  deinit { state.withLock { $0.watch?.cancel() } }

  /// Lets somebody take part, for as long as it exists; its limit is set here from now on.
  ///
  /// - Parameter weight: What it is due, compared with the others; more than 0.
  public func add(_ holder: some MemoryConsuming, weight: Double = 1) {
    state.withLock { $0.shares.append(Share(holder: holder, weight: weight)) }
    rebalance()
  }

  /// Takes bytes for something on its way, unless as much as may be is on its way already; what is larger than that
  /// alone gets through when nothing else is.
  ///
  /// - Throws: ``ImageError`` with code `saturated`.
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

  /// Takes bytes for something on its way.
  public func reserve(_ byteCount: Int) -> Reservation {
    add(max(0, byteCount))
    return Reservation(self, byteCount: max(0, byteCount))
  }

  /// Bytes that are taken for what is on its way.
  public var byteCountInFlight: Int { state.withLock { $0.inFlight } }

  /// How short of memory the system was when last looked at.
  public var pressure: MemoryPressure { state.withLock { $0.pressure } }

  /// Looks at the system and sets everybody's limit.
  public func rebalance() {
    let pressure = MemoryPressure(probe())
    state.withLock { $0.pressure = pressure }
    share()
  }

  /// Sets everybody's limit by what the system last said: bodies come and go too often to ask it each time.
  private func share() {
    let (shares, inFlight, pressure) = state.withLock { state in
      state.inFlightThen = state.inFlight
      state.shares.removeAll { $0.holder == nil }
      return (state.shares, state.inFlight, state.pressure)
    }
    let present = shares.compactMap { share in share.holder.map { ($0, share.weight) } }
    let limits = MemoryPlan.limits(
      budget: budget, inFlight: inFlight, pressure: pressure,
      holders: present.map { MemoryPlan.Holder(weight: $1, byteCount: $0.byteCount) })
    // Those who must shrink come first, so that the sum is kept at every moment.
    let order = present.indices.sorted {
      limits[$0] - present[$0].0.byteCount < limits[$1] - present[$1].0.byteCount
    }
    for index in order { present[index].0.setMaximumByteCount(limits[index]) }
  }

  /// Looks once a second from now on, for as long as the governor exists.
  public func startWatching() {
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
