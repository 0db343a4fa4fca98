/// Looks at a body while it comes: its length for a progress bar, its bytes for previews.
///
/// Called from one task at a time, on threads that may wait; the transfer waits meanwhile. What it sees is a
/// loan: nothing of it is whole or checked yet.
package protocol BodyWatching: Sendable {
  /// The position of the next byte that is wanted; `nil` when none is. Told anew before every chunk.
  var wantedPosition: Int? { get }

  /// A body begins, the first or one after a failed try: what came before is void.
  func bodyBegan()

  /// The body grew.
  ///
  /// - Parameters:
  ///   - receivedByteCount: Bytes that are there, those of a resumed beginning included.
  ///   - expectedByteCount: Bytes of the whole; `nil` when the origin did not say.
  ///   - bytes: From ``wantedPosition`` on; empty when none were wanted.
  func bodyGrew(to receivedByteCount: Int, of expectedByteCount: Int?, bytes: [UInt8])
}
