/// The events of a request, for `for await`: the latest of each kind first, then the rest as they
/// arrive.
///
/// It may be iterated several times, also after the load has ended: each iteration gets the last
/// event.
public struct ImageEvents: AsyncSequence, Sendable {
  /// An event of the load.
  public typealias Element = ImageEvent
  /// Nothing is thrown: a failure is an event.
  public typealias Failure = Never

  /// The load behind the events.
  public let task: ImageTask

  init(_ task: ImageTask) {
    self.task = task
  }

  /// Begins an iteration.
  public func makeAsyncIterator() -> Iterator { Iterator(task) }

  /// Iterates over the events, and keeps the load alive for as long.
  public struct Iterator: AsyncIteratorProtocol {
    private let task: ImageTask
    private let mailbox: EventMailbox

    init(_ task: ImageTask) {
      self.task = task
      mailbox = task.subscribe()
    }

    /// The next event; `nil` after the last one, or when the listening task is cancelled.
    public mutating func next() async -> ImageEvent? { await mailbox.next() }
  }
}
