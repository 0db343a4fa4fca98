public import ImageModel

/// The selection of a purge on all servers: sources with all their variants.
public struct TierPurge: Sendable, Hashable {
  /// The URLs of sources, as the keys of local entries spell them.
  public var urls: [String]
  /// The tags of sources.
  public var tags: [String]
  /// When; what was fetched later is not purged.
  public var time: Date

  /// Creates a purge.
  public init(urls: [String] = [], tags: [String] = [], time: Date) {
    self.urls = urls
    self.tags = tags
    self.time = time
  }
}

/// A purge was not written to all servers. It is tried again for as long as the process runs.
public struct TierPurgeFailure: LocalizedError, Sendable, Hashable, CustomStringConvertible {
  /// The reason, for people.
  public let description: String
  /// Whether it is tried again: not if too many wait already.
  public let isRetried: Bool

  /// As ``description``.
  public var errorDescription: String? { description }

  /// Creates a failure.
  public init(description: String, isRetried: Bool) {
    self.description = description
    self.isRetried = isRetried
  }
}
