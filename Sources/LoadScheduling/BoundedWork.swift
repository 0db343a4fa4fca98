/// Works through any number of items, a bounded number at once, and reports each one as it ends.
///
/// Memory does not grow with the number of items: an item is taken from its sequence only when
/// there is room for it. Items start in order and end in any.
public struct BoundedWork: Sendable {
  /// Items worked on at once, at least 1.
  public let maximumInFlight: Int

  /// Creates a bound.
  ///
  /// - Parameter maximumInFlight: Less than 1 counts as 1. Default: 6.
  public init(maximumInFlight: Int = 6) {
    self.maximumInFlight = max(1, maximumInFlight)
  }

  /// Runs `work` for each item and hands every result to `finished`, one at a time.
  ///
  /// - Parameters:
  ///   - items: Where the items come from; the next one is taken only when there is room.
  ///   - isolation: Where `finished` is called: the caller's actor.
  ///   - work: Turns an item into a result; what it throws ends the run.
  ///   - finished: Called once for each result, never twice at once.
  /// - Throws: Any error of the sequence or `work`, or `CancellationError`; work under way is
  ///   cancelled then.
  public func run<Items: AsyncSequence & Sendable, Result: Sendable>(
    _ items: Items, isolation: isolated (any Actor)? = #isolation,
    work: @escaping @Sendable (Items.Element) async throws -> Result,
    finished: (Result) async throws -> Void
  ) async throws where Items.Element: Sendable {
    var iterator = items.makeAsyncIterator()
    try await run(isolation: isolation, work: work, finished: finished) {
      try await iterator.next(isolation: isolation)
    }
  }

  /// Runs `work` for each item that is known already, such as those of an array or a range.
  ///
  /// Otherwise like ``run(_:isolation:work:finished:)`` for an asynchronous sequence.
  public func run<Items: Sequence & Sendable, Result: Sendable>(
    _ items: Items, isolation: isolated (any Actor)? = #isolation,
    work: @escaping @Sendable (Items.Element) async throws -> Result,
    finished: (Result) async throws -> Void
  ) async throws where Items.Element: Sendable {
    var iterator = items.makeIterator()
    try await run(isolation: isolation, work: work, finished: finished) { iterator.next() }
  }

  package func run<Item: Sendable, Result: Sendable>(
    isolation: isolated (any Actor)?, work: @escaping @Sendable (Item) async throws -> Result,
    finished: (Result) async throws -> Void, next: () async throws -> Item?
  ) async throws {
    try await withThrowingTaskGroup(of: Result.self) { group in
      var running = 0
      while true {
        if running == maximumInFlight, let result = try await group.next() {
          running -= 1
          try await finished(result)
        }
        guard let item = try await next() else { break }
        try Task.checkCancellation()
        group.addTask(priority: .low) { try await work(item) }
        running += 1
      }
      while let result = try await group.next() {
        try await finished(result)
      }
      try Task.checkCancellation()
    }
  }
}
