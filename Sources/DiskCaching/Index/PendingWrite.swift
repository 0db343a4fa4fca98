import ImageModel

/// A change that waits for the index. Changes that wait at the same time share the lock.
final class PendingWrite: Sendable {
  private enum State: Sendable {
    case waiting
    /// It was made or refused; whether it lasts is not known yet.
    case ran((any Error)?)
    case decided((any Error)?)
  }

  private let body: @Sendable (IndexWriter) throws -> Void
  private let state = Locked(State.waiting)

  init(_ body: @escaping @Sendable (IndexWriter) throws -> Void) { self.body = body }

  func run(_ writer: IndexWriter) {
    var failure: (any Error)?
    do { try body(writer) } catch { failure = error }
    state.withLock { [failure] in $0 = .ran(failure) }
  }

  /// Sets the outcome, a failure of all changes for one that did not fail itself.
  func finish(_ error: (any Error)? = nil) {
    state.withLock { state in
      if case .ran(let own?) = state { state = .decided(own) } else { state = .decided(error) }
    }
  }

  var isDecided: Bool {
    state.withLock { if case .decided = $0 { true } else { false } }
  }

  func outcome() throws {
    if case .decided(let error?) = state.withLock({ $0 }) { throw error }
  }
}

/// The stages of a store, at which a campaign may kill the process to see that nothing is lost.
package enum StoreStage: String, Sendable, CaseIterable {
  case written
  /// The file has its final name, the record is not there yet.
  case published
  /// The record is in the log, the table does not name it yet.
  case appended
  case changing
  case recorded
  /// The lock is free, the caller has not been notified yet.
  case committed
}
