import ImageModel

/// A change that waits for the index. Changes that wait at the same time share a transaction.
final class PendingWrite: Sendable {
  private enum Outcome: Sendable {
    case waiting
    case done
    case failed(any Error)
  }

  private let body: @Sendable (IndexWriter) throws -> Void
  private let outcome = Locked(Outcome.waiting)

  init(_ body: @escaping @Sendable (IndexWriter) throws -> Void) { self.body = body }

  /// Runs the change.
  func run(_ writer: IndexWriter) throws { try body(writer) }

  /// Sets the outcome.
  func finish(_ error: (any Error)?) {
    outcome.withLock { $0 = error.map { .failed($0) } ?? .done }
  }

  /// Whether the outcome is set.
  var isDecided: Bool {
    outcome.withLock { if case .waiting = $0 { false } else { true } }
  }

  /// The failure, if it failed.
  var error: (any Error)? {
    outcome.withLock { if case .failed(let error) = $0 { error } else { nil } }
  }
}
