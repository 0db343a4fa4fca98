/// A store of large values behind the servers of a tier, such as a bucket of S3.
///
/// Nothing in it is found without the servers, which know what was purged; no lock is in it. What it
/// keeps for how long is its own affair.
public protocol TierObjectStore: Sendable {
  /// Returns an object; `nil` if there is none.
  func object(_ name: String, until deadline: ContinuousClock.Instant) async throws -> [UInt8]?
  /// Writes an object, in place of another one.
  func store(
    _ bytes: [UInt8], as name: String, until deadline: ContinuousClock.Instant) async throws
  /// Deletes an object; one that does not exist is not an error.
  func remove(_ name: String, until deadline: ContinuousClock.Instant) async throws
}
