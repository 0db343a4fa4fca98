import ImageModel
import NIOCore

final class OpenConnections: Sendable {
  enum Admission: Sendable, Hashable {
    case served
    /// `lingers`: Whether it may stay for a moment, so that its client reads why.
    case refused(lingers: Bool)
  }

  private struct Connection {
    let channel: any Channel
    let admission: Admission
    var isBuilt = false
  }

  private struct State {
    var open: [ObjectIdentifier: Connection] = [:]
    var servedCount = 0
    var refusedTotal = 0
    var pauseTotal = 0
    var isDraining = false
    var wasCut = false
    var closeObservers: [@Sendable () -> Void] = []
  }
  private let state = Locked(State())

  init() {}

  var servedCount: Int { state.withLock { $0.servedCount } }
  var refusedTotal: Int { state.withLock { $0.refusedTotal } }
  /// How often accepting was paused because the process or the system was short of descriptors.
  var pauseTotal: Int { state.withLock { $0.pauseTotal } }

  var wasCut: Bool { state.withLock { $0.wasCut } }

  /// Starts a listener: its connections are not drained before it is stopped.
  func begin() { state.withLock { ($0.isDraining, $0.wasCut) = (false, false) } }

  /// Counts a connection for as long as it is open, and decides whether it is served.
  ///
  /// It is called where connections are accepted, in their order: their event loops begin with them
  /// in any order, and of three connections for two places it is the last that is refused. A
  /// refused one does not count towards the limit, but lingers only while fewer than twice the
  /// limit are open.
  func admit(_ channel: any Channel, maximum: Int) {
    let id = ObjectIdentifier(channel)
    state.withLock { state in
      var admission = Admission.served
      if state.servedCount < maximum {
        state.servedCount += 1
      } else {
        state.refusedTotal += 1
        admission = .refused(lingers: state.open.count + 1 < 2 * maximum)
      }
      state.open[id] = Connection(channel: channel, admission: admission)
    }
    channel.closeFuture.whenComplete { [self] _ in closed(id) }
  }

  /// Marks a connection as being built and returns what was decided about it; it drains at once if
  /// the server does. Called on its event loop before its pipeline is built.
  func beginBuilding(_ channel: any Channel) -> Admission {
    let id = ObjectIdentifier(channel)
    let (admission, isDraining) = state.withLock { state in
      state.open[id]?.isBuilt = true
      return (state.open[id]?.admission, state.isDraining)
    }
    // The event loop does so after it has built the pipeline.
    if isDraining { drain(channel) }
    return admission ?? .refused(lingers: false)
  }

  private func closed(_ id: ObjectIdentifier) {
    let observers = state.withLock { state in
      if state.open.removeValue(forKey: id)?.admission == .served { state.servedCount -= 1 }
      defer { state.closeObservers = [] }
      return state.closeObservers
    }
    for observer in observers { observer() }
  }

  func pausedAccepting() { state.withLock { $0.pauseTotal += 1 } }

  func onNextClose(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.closeObservers.append(body) }
  }

  /// Closes each connection once it has no request in progress and its client has read all.
  func drain() {
    let channels = state.withLock { state in
      state.isDraining = true
      return state.open.values.filter(\.isBuilt).map(\.channel)
    }
    for channel in channels { drain(channel) }
  }

  func cut() {
    let channels = state.withLock { state in
      state.wasCut = !state.open.isEmpty
      return state.open.values.map(\.channel)
    }
    for channel in channels {
      channel.eventLoop.execute {
        channel.pipeline.fireUserInboundEventTriggered(ConnectionTimer.Cut())
        channel.close(promise: nil)
      }
    }
  }

  private func drain(_ channel: any Channel) {
    channel.eventLoop.execute {
      channel.pipeline.fireUserInboundEventTriggered(ConnectionTimer.Drain())
    }
  }
}
