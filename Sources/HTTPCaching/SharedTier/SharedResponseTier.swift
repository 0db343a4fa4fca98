public import ImageModel

/// A cache that several servers share, behind the disk cache of each: sources, variants of them,
/// locks for creating them, and purges.
///
/// It affects latency, never a response: any failure is a miss, and after several failures requests
/// to it are suspended for a while.
public protocol SharedResponseTier: AnyObject, Sendable {
  /// Longer bodies are not kept.
  var maximumBodyByteCount: Int { get }
  /// The time for which a copy in memory is used without a check whether its source was purged.
  /// Together with the time for which ``isConfirmed(_:_:)`` holds it is less than a minute.
  var memoryLifetime: Duration { get }

  /// Counts of its operations so far.
  var statistics: TierStatistics { get }
  /// Whether requests to the tier are suspended because it failed.
  var isSuspended: Bool { get }

  /// Looks up a value; if there is none, takes the lock for creating it, or waits until the server
  /// that has the lock has created it.
  ///
  /// - Parameters:
  ///   - key: The key of the value.
  ///   - deadline: The end of the wait; it never exceeds the lifetime of a lock. `nil` for that
  ///     lifetime.
  ///   - isUsable: Whether a value that was found is of use; one that is not counts as none.
  /// - Throws: `CancellationError` when the task is cancelled.
  func turn(
    for key: TierKey, until deadline: ContinuousClock.Instant?,
    isUsable: @Sendable (TierValue) -> Bool
  ) async throws -> TierTurn

  /// Writes a value in the background, unless its source is purged meanwhile, and releases the lock
  /// under which it was made.
  ///
  /// A value that is too long, or that was selected by fields of its request (`Vary`), is not
  /// written; nor is one for which there is no place.
  ///
  /// `generation` is the one under which it was made: that of the lock, or of the value that it
  /// replaces.
  func write(_ value: TierValue, for key: TierKey, _ generation: TierGeneration, lock: TierLock?)

  /// Releases a lock in the background, if it is still held.
  func release(_ lock: TierLock)

  /// Whether a local copy of a source, or of a variant of it, that was stored under a generation
  /// may be used without a check whether it was purged.
  func isConfirmed(_ url: String, _ generation: TierGeneration) -> Bool

  /// Checks with the tier whether a source was purged since a local copy of it was stored.
  ///
  /// `generation` is the one under which it was stored; `nil` for one stored without the tier.
  func confirm(_ url: String, _ generation: TierGeneration?) async -> TierConfirmation

  /// The present generation of a source that is fetched in any case; `nil` if the tier does not
  /// respond.
  func generation(of url: String) async -> TierGeneration?

  /// Forgets sources that requests have changed (RFC 9111 §4.4), and notifies the other servers if
  /// the tier had them. Does not retry.
  func invalidate(_ urls: [String]) async

  /// Purges sources, and notifies all servers, which forget their local copies.
  ///
  /// Even if it throws, this tier no longer returns earlier values of these sources.
  ///
  /// - Throws: ``TierPurgeFailure`` if the tier has not accepted the complete purge yet.
  func purge(_ purge: TierPurge) async throws(TierPurgeFailure)

  /// Receives the purges of other servers until the task is cancelled.
  ///
  /// Purges by URL whose message was lost are noticed when a local copy is confirmed. A tier has
  /// one receiver: a purge that one receiver has received is not delivered to another.
  ///
  /// - Parameters:
  ///   - since: Purges by tag are delivered from this moment on: when local copies were last kept
  ///     up to date.
  ///   - handler: Forgets local copies of what was fetched before the purge; a purge for which it
  ///     throws is delivered again a little later.
  func receivePurges(
    since: Date, _ handler: @escaping @Sendable (TierPurge) async throws -> Void) async
}

extension SharedResponseTier {
  /// Returns whether a local copy of a source, or of a variant of it, that was stored under a
  /// generation may answer; `nil` for one that may, without a request to the tier.
  public func validity(
    of url: String, under generation: TierGeneration?
  ) async -> TierConfirmation? {
    if let generation, isConfirmed(url, generation) { return nil }
    return await confirm(url, generation)
  }
}

/// The right to make a value, for a while: other servers wait for it.
public struct TierLock: Sendable, Hashable {
  /// The key of the value to create.
  public let key: TierKey
  /// Distinguishes it from all others.
  public let token: String
  /// The generation of the source when the lock was taken.
  public let generation: TierGeneration

  /// Creates a lock, as a tier does when it grants one.
  public init(key: TierKey, token: String, generation: TierGeneration) {
    self.key = key
    self.token = token
    self.generation = generation
  }
}

/// The action of a server for a value.
public enum TierTurn: Sendable {
  /// Use this one, which is there or was made by another server meanwhile.
  case use(TierValue, TierGeneration)
  /// Make it, write it, and release the lock.
  case make(TierLock)
  /// Make it without the tier: the servers failed, or the time to wait is over.
  case makeAlone
}

/// Whether a local copy may answer.
public enum TierConfirmation: Sendable, Hashable {
  /// It may, under this generation.
  case current(TierGeneration)
  /// Its source was purged after it was stored; remove it.
  case purged
  /// It was stored without the tier, or the servers have lost the generation; the source has this
  /// one now. Whether the copy was purged is unknown: it may answer, and is to be revalidated.
  case unrelated(TierGeneration)
  /// It may: the servers failed, or requests to them are suspended.
  case unknown
}
