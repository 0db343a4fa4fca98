import ImagePipeline
import NIOCore

/// The connections of a proxy, so that it can end them in order.
final class OpenConnections: Sendable {
  private struct State {
    var channels: [ObjectIdentifier: any Channel] = [:]
    var isDraining = false
  }
  private let state = Locked(State())

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

  /// Ends each connection when it has no request under way.
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
    for channel in channels { channel.close(promise: nil) }
    return channels.count
  }

  private func quiesce(_ channel: any Channel) {
    channel.eventLoop.execute {
      channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
  }
}
