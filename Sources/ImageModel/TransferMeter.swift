/// Counts what one load costs while it runs, failed attempts included; read from any thread.
public final class TransferMeter: Sendable {
  /// What was counted so far.
  public struct Reading: Sendable, Hashable {
    /// HTTP requests sent: redirects, retries and resumed parts each count.
    public var requestCount = 0
    /// Bytes of bodies received over the network, failed attempts included.
    public var receivedByteCount = 0
    /// Bytes of the current body that are there, those of a resumed beginning included.
    public var bodyByteCount = 0
    /// Bytes that the current body will have, where the origin said.
    public var expectedByteCount: Int?

    /// Creates a reading.
    public init(
      requestCount: Int = 0, receivedByteCount: Int = 0, bodyByteCount: Int = 0,
      expectedByteCount: Int? = nil
    ) {
      self.requestCount = requestCount
      self.receivedByteCount = receivedByteCount
      self.bodyByteCount = bodyByteCount
      self.expectedByteCount = expectedByteCount
    }
  }

  private struct State {
    var reading = Reading()
    var listener: (@Sendable (Reading) -> Void)?
  }
  private let state: Locked<State>

  /// Starts at zero.
  ///
  /// - Parameter listener: Told of changes of the body's counts, at most some ten times a second, on
  ///   the fetcher's thread: it must be quick. Default: none.
  public init(listener: (@Sendable (Reading) -> Void)? = nil) {
    state = Locked(State(listener: listener))
  }

  /// What was counted so far.
  public var reading: Reading { state.withLock { $0.reading } }

  /// Changes the counts: for a fetcher, as requests are sent and bytes arrive.
  public func update(_ change: (inout Reading) -> Void) {
    state.withLock { change(&$0.reading) }
  }

  /// Passes the counts to the listener.
  public func report() {
    let (reading, listener) = state.withLock { ($0.reading, $0.listener) }
    listener?(reading)
  }
}
