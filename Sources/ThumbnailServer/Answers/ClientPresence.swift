import HTTPListening
import ImageModel

/// The client of a connection.
final class ClientPresence: Sendable {
  /// Whether it is still connected.
  let connection = ConnectionPresence()
  /// Whether it reached a listener of this machine alone: a loopback address or a Unix socket.
  let isLocal: Bool
  private let latestScope = Locked<TraceScope?>(nil)

  /// The client of the connection that this task serves.
  @TaskLocal static var current: ClientPresence?

  init(isLocal: Bool = false) { self.isLocal = isLocal }

  /// The trace of the request that is answered now; `nil` for none.
  var scope: TraceScope? {
    get { latestScope.withLock { $0 } }
    set { latestScope.withLock { $0 = newValue } }
  }
}
