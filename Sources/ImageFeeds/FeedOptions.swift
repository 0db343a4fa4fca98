/// How a feed may be asked.
public struct FeedOptions: Sendable, Hashable {
  /// Ask the origin even where a kept answer is fresh. Default: false.
  public var revalidates = false
  /// Never ask the origin; use what is kept. Default: false.
  public var isOffline = false

  /// The defaults.
  public init() {}
}
