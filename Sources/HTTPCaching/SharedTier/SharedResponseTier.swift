import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A cache that several servers share, behind that of each on disk: sources, variants of them, locks
/// for making them, and purges.
///
/// It may change latency, never an answer: whatever fails is a miss, and after some failures it is
/// not asked for a while.
public protocol SharedResponseTier: AnyObject, Sendable {
  /// Longer bodies are not kept.
  var maximumBodyByteCount: Int { get }
  /// For how long a copy in memory is used without asking whether its source was purged. With the
  /// time for which ``isConfirmed(_:_:)`` holds it is less than a minute.
  var memoryLifetime: Duration { get }

  /// What it has done so far.
  var statistics: TierStatistics { get }
  /// Whether it is not asked at present, because it failed.
  var isSuspended: Bool { get }

  /// Looks up a value.
  func read(_ key: TierKey) async -> TierReading

  /// Looks up a value; if there is none, takes the lock for making it, or waits until the server
  /// that has the lock has made it.
  ///
  /// - Parameters:
  ///   - deadline: Until when to wait; never longer than a lock lasts. `nil` for as long.
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
  /// - Parameter generation: The one under which it was made: that of the lock, or of the value that
  ///   it replaces.
  func write(
    _ value: TierValue, for key: TierKey, _ generation: TierGeneration, lock: TierLock?)

  /// Releases a lock in the background, if it is still held.
  func release(_ lock: TierLock)

  /// Whether a local copy of a source, or of a variant of it, that was stored under a generation may
  /// be used without asking whether it was purged.
  func isConfirmed(_ url: String, _ generation: TierGeneration) -> Bool

  /// Asks whether a source was purged since a local copy of it was stored.
  ///
  /// - Parameter generation: The one under which it was stored; `nil` for one that was stored
  ///   without the tier.
  func confirm(_ url: String, _ generation: TierGeneration?) async -> TierConfirmation

  /// The present generation of a source that is to be fetched in any case; `nil` if the tier does not
  /// answer.
  func generation(of url: String) async -> TierGeneration?

  /// Forgets sources that requests have changed (RFC 9111 §4.4), and tells the other servers if the
  /// tier knew them. Nothing is tried again.
  func invalidate(_ urls: [String]) async

  /// Purges sources, and tells all servers, which forget their local copies.
  ///
  /// Whatever it throws, this tier gives nothing of them from before any more.
  ///
  /// - Throws: ``TierPurgeFailure`` when the tier has not taken all of it over yet.
  func purge(_ purge: TierPurge) async throws(TierPurgeFailure)

  /// Receives the purges of other servers until the task is cancelled.
  ///
  /// Purges by URL whose message was lost are noticed when a local copy is confirmed. A tier has one
  /// receiver: what one has received, another one is not told.
  ///
  /// - Parameters:
  ///   - since: Purges by tag are told from this moment on: when local copies were last kept up to
  ///     date.
  ///   - handler: Forgets local copies of what was fetched before the purge; a purge for which it
  ///     throws is told again a little later.
  func receivePurges(
    since: Date, _ handler: @escaping @Sendable (TierPurge) async throws -> Void) async
}

/// Whether a local copy may answer; see ``SharedResponseTier/standing(of:under:)``.
public enum CopyStanding: Sendable, Hashable {
  /// It may; `wasAsked` tells whether the tier was asked.
  case valid(wasAsked: Bool)
  /// It may, and its origin is to be asked in the background: the tier does not know whether it was
  /// purged.
  case doubtful
  /// It was purged by another server, and is to be removed.
  case purged
}

extension SharedResponseTier {
  /// Tells whether a local copy of a source, or of a variant of it, may answer.
  ///
  /// - Parameters:
  ///   - url: The URL of the source.
  ///   - generation: The one under which it was stored.
  public func standing(of url: String, under generation: TierGeneration?) async -> CopyStanding {
    if let generation, isConfirmed(url, generation) { return .valid(wasAsked: false) }
    return switch await confirm(url, generation) {
    case .current, .unknown: .valid(wasAsked: true)
    case .unrelated: .doubtful
    case .purged: .purged
    }
  }
}

/// The right to make a value, for a while: other servers wait for it.
public struct TierLock: Sendable, Hashable {
  /// What is to be made.
  public let key: TierKey
  /// Tells it from all others.
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

/// What a server is to do about a value.
public enum TierTurn: Sendable {
  /// Use this one, which is there or was made by another server meanwhile.
  case use(TierValue, TierGeneration)
  /// Make it, write it, and release the lock.
  case make(TierLock)
  /// Make it without the tier: the servers failed, or the time to wait is over.
  case makeAlone
}

/// What a lookup has found.
public enum TierReading: Sendable {
  /// A value that was not purged; it may be stale.
  case hit(TierValue, TierGeneration)
  /// None.
  case miss
  /// The servers failed, or are not asked at present.
  case unavailable
}

/// Whether a local copy counts.
public enum TierConfirmation: Sendable, Hashable {
  /// It does, under this generation.
  case current(TierGeneration)
  /// Its source was purged after it was stored.
  case purged
  /// It was stored without the tier, or the servers have lost the generation; the source has this one
  /// now. Whether the copy was purged cannot be told, and so it should be revalidated.
  case unrelated(TierGeneration)
  /// The servers failed, or are not asked at present.
  case unknown
}
