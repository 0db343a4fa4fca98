/// A store of large values behind the servers of a tier, such as a bucket of S3.
///
/// Objects are found only through the servers, which record purges; the store holds no locks. It
/// decides how long it keeps an object.
public protocol TierObjectStore: Sendable {
  /// Returns an object; `nil` if there is none.
  func object(_ name: String, until deadline: ContinuousClock.Instant) async throws -> [UInt8]?
  /// Writes an object, in place of another one.
  func store(
    _ bytes: [UInt8], as name: String, until deadline: ContinuousClock.Instant) async throws
  /// Deletes an object; one that does not exist is not an error.
  func remove(_ name: String, until deadline: ContinuousClock.Instant) async throws
}
