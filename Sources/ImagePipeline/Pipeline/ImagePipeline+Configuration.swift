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
    /// What a transfer may cost. Default: 64 MiB, 300 s, at least 1 KiB in 30 s.
    public var fetchLimits = FetchLimits()
    /// Pictures fetched at once. Default: 6.
    public var maximumFetches = 6
    /// Pictures fetched at once from one host. Default: 6.
    public var maximumFetchesPerHost = 6
    /// Threads for decoding and files. Default: one more than there are processors, at least 3: one of them
    /// often waits for the disk, and with more they get into each other's way.
    public var threadCount = max(3, ProcessInfo.processInfo.activeProcessorCount + 1)
    /// How long an origin's "there is nothing here" (404, 410) is believed where it names no time of its own.
    /// Default: 1 minute.
    public var negativeLifetime = Duration.seconds(60)
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }

    /// The defaults around a fetcher.
    public init(fetcher: any DataFetching) {
      self.fetcher = fetcher
    }
  }
}
