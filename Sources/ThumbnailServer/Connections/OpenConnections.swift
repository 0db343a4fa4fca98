import ImagePipeline
import NIOCore

/// The connections of a server, so that it can end them in order.
final class OpenConnections: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isDraining = false
  }
  private let state = Locked(State())

  /// How many are open.
  var count: Int { state.withLock { $0.channels.count } }

  /// Remembers a connection while it is open.
  func insert(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let isDraining = state.withLock { state in
      state.channels[id] = channel
      return state.isDraining
    }
    channel.closeFuture.whenComplete { [self] _ in state.withLock { $0.channels[id] = nil } }
    if isDraining { quiesce(channel) }
  }

  /// Ends each connection when it has no request under way and its client has taken every answer.
  func drain() {
    let channels = state.withLock { state in
      state.isDraining = true
      return Array(state.channels.values)
    }
    for channel in channels { quiesce(channel) }
  }

  /// Ends all of them now.
  ///
  /// - Returns: How many there were.
  @discardableResult
  func cut() -> Int {
    let channels = state.withLock { Array($0.channels.values) }
    for channel in channels {
      channel.eventLoop.execute {
        channel.pipeline.fireUserInboundEventTriggered(DrainHandler.TimeIsOver())
        channel.close(promise: nil)
      }
    }
    return channels.count
  }

  private func quiesce(_ channel: any Channel) {
    channel.eventLoop.execute {
      // Fails only where the connection has ended already.
      try? channel.pipeline.syncOperations.addHandler(DrainHandler(), position: .first)
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
  }
}
