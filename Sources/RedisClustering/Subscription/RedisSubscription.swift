import NIOCore

/// An event of a subscription.
public enum RedisSubscriptionEvent: Sendable, Hashable {
  /// Messages are received from now on.
  case subscribed
  /// A message of a channel.
  case message(channel: String, ByteBuffer)
  /// Messages may have been missed since the last event. The client subscribes again by itself.
  case lost(RedisError)
}

/// The events of a subscription, until its iterator is released or the client is shut down.
///
/// Iterated once. It keeps at most 4,096 unread events; beyond that, messages are dropped, which
/// ``RedisSubscriptionEvent/lost(_:)`` reports.
public struct RedisSubscription: AsyncSequence, Sendable {
  private let events: AsyncStream<RedisSubscriptionEvent>

  init(_ begin: (AsyncStream<RedisSubscriptionEvent>.Continuation) -> Void) {
    let (events, continuation) = AsyncStream<RedisSubscriptionEvent>.makeStream(
      bufferingPolicy: .bufferingOldest(4096))
    self.events = events
    begin(continuation)
  }

  /// Receives the events.
  public struct AsyncIterator: AsyncIteratorProtocol {
    fileprivate var iterator: AsyncStream<RedisSubscriptionEvent>.AsyncIterator

    /// Returns the next event; `nil` after the client was shut down.
    public mutating func next() async -> RedisSubscriptionEvent? { await iterator.next() }
  }

  /// Makes the iterator.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: events.makeAsyncIterator())
  }
}
