/// Marks inside a store, where a campaign may end the process to see that nothing is lost.
package enum StoreStage: String, Sendable, CaseIterable {
  /// The bytes are in the temporary file.
  case written
  /// The file has its final name, the record is not there yet.
  case published
  /// The record is written, the transaction is not committed.
  case recorded
  /// The transaction is committed, the caller does not know yet.
  case committed
}
