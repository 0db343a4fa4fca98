/// What a shared piece of work sees of those who wait for it.
final class SharedRun<Update: Sendable>: Sendable {
  /// The highest priority among those who wait, as it changes.
  let priority: LivePriority
  private let sink: @Sendable (Update) -> Void

  init(priority: LoadPriority, sink: @escaping @Sendable (Update) -> Void) {
    self.priority = LivePriority(priority)
    self.sink = sink
  }

  /// Tells all who wait, and keeps it for those who join later, until the next.
  func send(_ update: Update) { sink(update) }
}
