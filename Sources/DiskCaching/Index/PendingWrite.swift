import ImageModel

/// A change that waits for the index. Changes that wait at the same time share the lock.
final class PendingWrite: Sendable {
  private let body: @Sendable (IndexWriter) throws -> Void
  private let state = Locked((failure: (any Error)?.none, isDecided: false))

  init(_ body: @escaping @Sendable (IndexWriter) throws -> Void) { self.body = body }

  func run(_ writer: IndexWriter) {
    do { try body(writer) } catch { state.withLock { [error] in $0.failure = error } }
  }

  /// Ends the waiting, with a failure of all changes for one that did not fail itself.
  func finish(_ error: (any Error)? = nil) {
    state.withLock { $0 = ($0.failure ?? error, true) }
  }

  /// Whether it is known if the change lasts.
  var isDecided: Bool { state.withLock { $0.isDecided } }

  func outcome() throws {
    if let error = state.withLock({ $0.failure }) { throw error }
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
