import NIOCore
import Synchronization

/// A connection on its way from the listener to the task that serves it.
///
/// One that comes just as its listener closes is handed to nobody: NIO lets it go, and a writer that goes without having
/// been finished ends the process. Here, it is closed.
final class AcceptedConnection<Inbound: Sendable, Outbound: Sendable>: Sendable {
  let channel: any Channel
  private let asyncChannel: NIOAsyncChannel<Inbound, Outbound>
  private let isTaken = Atomic(false)

  /// Wraps a channel, on its event loop.
  init(wrapping channel: any Channel) throws {
    self.channel = channel
    asyncChannel = try NIOAsyncChannel(wrappingChannelSynchronously: channel)
  }

  /// The connection, for one who runs it to its end.
  func take() -> NIOAsyncChannel<Inbound, Outbound> {
    isTaken.store(true, ordering: .relaxed)
    return asyncChannel
  }

  deinit {
    guard !isTaken.load(ordering: .relaxed) else { return }
    Task { [asyncChannel] in try? await asyncChannel.executeThenClose { _, _ in } }
  }
}
