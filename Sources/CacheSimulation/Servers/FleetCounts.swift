/// The raw counts of a fleet beyond those of its servers' caches, which are ``SimulationCounts``.
public struct FleetCounts: Sendable, Hashable {
  /// The number of requests that each server received.
  public var requestsByServer: [Int]
  /// The number of requests that missed the cache of their server: those that the tier received,
  /// or without a tier the origin.
  public var missCount = 0
  /// The bytes of those requests.
  public var missByteCount = 0
  /// The number of them that hit the tier; 0 without one.
  public var tierHits = 0
  /// The bytes of those hits.
  public var tierHitByteCount = 0
  /// The number of objects that the tier evicted.
  public var tierEvictions = 0

  /// The number of requests that the origin received.
  public var originRequestCount: Int { missCount - tierHits }
  /// The bytes of those requests.
  public var originByteCount: Int { missByteCount - tierHitByteCount }

  init(serverCount: Int) { requestsByServer = Array(repeating: 0, count: serverCount) }
}
