/// Counts what one load costs while it runs, failed attempts included; read from any thread.
public final class TransferMeter: Sendable {
  /// The counts so far.
  public struct Reading: Sendable, Hashable {
    /// HTTP requests sent: redirects, retries and resumed parts each count.
    public var requestCount = 0
    /// Bytes of bodies received over the network, failed attempts included.
    public var receivedByteCount = 0

    /// Creates a reading.
    public init(requestCount: Int = 0, receivedByteCount: Int = 0) {
      self.requestCount = requestCount
      self.receivedByteCount = receivedByteCount
    }
  }

  private let state = Locked(Reading())

  /// Starts at zero.
  public init() {}

  /// The counts so far.
  public var reading: Reading { state.withLock { $0 } }

  /// Changes the counts: for a fetcher, as requests are sent and bytes arrive.
  public func update(_ change: (inout Reading) -> Void) {
    state.withLock { change(&$0) }
  }
}
