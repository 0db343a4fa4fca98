import NIOCore
import Synchronization

/// A connection on its way from the listener to the task that serves it.
///
/// A connection accepted just as its listener closes never reaches a task. NIO would then drop its
/// writer unfinished, which ends the process; this wrapper closes the connection instead.
final class AcceptedConnection<Inbound: Sendable, Outbound: Sendable>: Sendable {
  /// The connection.
  let channel: any Channel
  private let asyncChannel: NIOAsyncChannel<Inbound, Outbound>
  private let isTaken = Atomic(false)

  /// Wraps a channel, on its event loop.
  init(wrapping channel: any Channel) throws {
    self.channel = channel
    // A plain request has two parts; those of a body have up to 64 KiB each.
    asyncChannel = try NIOAsyncChannel(
      wrappingChannelSynchronously: channel,
      configuration: .init(backPressureStrategy: .init(lowWatermark: 1, highWatermark: 4)))
  }

  /// Returns the connection to a caller that serves it to its end.
  func take() -> NIOAsyncChannel<Inbound, Outbound> {
    isTaken.store(true, ordering: .relaxed)
    return asyncChannel
  }

  deinit {
    guard !isTaken.load(ordering: .relaxed) else { return }
    Task { [asyncChannel] in try? await asyncChannel.executeThenClose { _, _ in } }
  }
}
