/// What a shared piece of work sees of those who wait for it.
final class SharedRun<Update: Sendable>: Sendable {
  /// The highest priority among those who wait, as it changes.
  let priority: LivePriority
  private let sink: @Sendable (Update) -> Void
  private let watched: @Sendable () -> Bool

  init(
    priority: LoadPriority, sink: @escaping @Sendable (Update) -> Void,
    isWatched: @escaping @Sendable () -> Bool
  ) {
    self.priority = LivePriority(priority)
    self.sink = sink
    watched = isWatched
  }

  /// Whether anybody who waits listens to updates now; what costs much to send may be left out.
  var isWatched: Bool { watched() }

  /// Tells all who wait, and keeps it for those who join later, until the next.
  func send(_ update: Update) { sink(update) }
}
