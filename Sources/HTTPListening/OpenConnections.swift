import ImageModel
import NIOCore

/// The connections of a server: bounds them, counts them, and closes them in order.
public final class OpenConnections: Sendable {
  /// Whether a connection is served.
  enum Admission: Sendable, Hashable {
    case served
    /// The connection is above the limit.
    ///
    /// - Parameter lingers: Whether it may stay for a moment, so that its client reads why.
    case refused(lingers: Bool)
  }

  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var servedCount = 0
    var refusedTotal = 0
    var pauseTotal = 0
    var isDraining = false
    var wasCut = false
    var closeObservers: [@Sendable () -> Void] = []
  }
  private let state = Locked(State())

  /// Creates an empty set.
  public init() {}

  /// The number of connections being served.
  public var servedCount: Int { state.withLock { $0.servedCount } }
  /// The number of connections refused since the start.
  public var refusedTotal: Int { state.withLock { $0.refusedTotal } }
  /// How often accepting was paused because the process or the system was short of descriptors.
  public var pauseTotal: Int { state.withLock { $0.pauseTotal } }

  /// Whether connections were still open when the time for draining was over.
  var wasCut: Bool { state.withLock { $0.wasCut } }

  /// Starts a listener: its connections are not drained before it is told to stop.
  func begin() { state.withLock { ($0.isDraining, $0.wasCut) = (false, false) } }

  /// Counts a connection for as long as it is open, and decides whether it is served; called on its
  /// event loop before its pipeline is built.
  ///
  /// A refused one does not count towards the limit, but lingers only while fewer than twice the
  /// limit are open.
  func admit(_ channel: any Channel, maximum: Int) -> Admission {
    let id = ObjectIdentifier(channel)
    let (admission, isDraining) = state.withLock { state in
      defer { state.channels[id] = channel }
      guard state.servedCount >= maximum else {
        state.servedCount += 1
        return (Admission.served, state.isDraining)
      }
      state.refusedTotal += 1
      return (.refused(lingers: state.channels.count < 2 * maximum), state.isDraining)
    }
    channel.closeFuture.whenComplete { [self] _ in closed(id, wasServed: admission == .served) }
    // The event loop does so after it has built the pipeline.
    if isDraining { drain(channel) }
    return admission
  }

  private func closed(_ id: ObjectIdentifier, wasServed: Bool) {
    let observers = state.withLock { state in
      state.channels[id] = nil
      if wasServed { state.servedCount -= 1 }
      defer { state.closeObservers = [] }
      return state.closeObservers
    }
    for observer in observers { observer() }
  }

  /// Counts a pause in accepting.
  func pausedAccepting() { state.withLock { $0.pauseTotal += 1 } }

  /// Runs a closure once when the next connection has closed.
  func onNextClose(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.closeObservers.append(body) }
  }

  /// Closes each connection when it has no request in progress and its client has read every
  /// response.
  func drain() {
    let channels = state.withLock { state in
      state.isDraining = true
      return Array(state.channels.values)
    }
    for channel in channels { drain(channel) }
  }

  /// Closes all of them now, and notes whether there were any.
  func cut() {
    let channels = state.withLock { state in
      state.wasCut = !state.channels.isEmpty
      return Array(state.channels.values)
    }
    for channel in channels {
      channel.eventLoop.execute {
        channel.pipeline.fireUserInboundEventTriggered(DrainHandler.TimeIsOver())
        channel.close(promise: nil)
      }
    }
  }

  private func drain(_ channel: any Channel) {
    channel.eventLoop.execute {
      // Fails only if the connection has closed already.
      try? channel.pipeline.syncOperations.addHandler(DrainHandler(), position: .first)
      channel.pipeline.fireUserInboundEventTriggered(ConnectionTimer.Drain())
    }
  }
}
