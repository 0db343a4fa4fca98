#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ImagePipeline {
  /// What a pipeline is made of.
  public struct Configuration: Sendable {
    /// The disk tier. Default: none.
    public var diskCache: DiskCache?
    /// What answers when no tier does.
    public var fetcher: any DataFetching
    /// What an input may cost. Default: safe for inputs from anywhere.
    public var limits = ImageLimits()
    /// How long an origin's "there is nothing here" (404, 410) is believed where it names no time of its own.
    /// Default: 10 minutes.
    public var negativeLifetime = Duration.seconds(600)
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }

    /// The defaults around a fetcher.
    public init(fetcher: any DataFetching) {
      self.fetcher = fetcher
    }
  }
}
